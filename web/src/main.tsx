import "@fontsource-variable/inter/wght.css";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./theme/theme.css";
import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { whenRefused } from "./api/client";
import { doorQuery } from "./data/auth";
import { queryClient } from "./data/client";
import { startLive } from "./data/live";
import { meQuery } from "./data/me";
import { setSignedOut, signedInAgain } from "./data/signedOut";
import { router } from "./frame/router";
import { beginTexts } from "./texts";
import { theme, variables } from "./theme/theme";

// A refusal may mean that the session is over, so ask the server. An open page stays as it is, with its unsaved text.
// A page that is still opening goes to the sign-in.
whenRefused({
  over: async () => {
    if (["/sign-in", "/first-run", "/welcome"].includes(location.pathname)) return false;
    const door = await queryClient.fetchQuery(doorQuery).catch(() => null);
    if (!door || door.signed_in) return false;
    if (queryClient.getQueryData(meQuery.queryKey)) setSignedOut(true);
    else location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
    return true;
  },
  again: signedInAgain,
});

// The server's policy lets only those styles in that carry the page's nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
setNonce(nonce); // for what holds the page still behind a dialog

// Whoever is at a door is not signed in, or not yet to one account.
if (!["/sign-in", "/first-run", "/welcome", "/accounts"].includes(location.pathname)) startLive(queryClient);
void beginTexts().then(() =>
  createRoot(document.getElementById("root")!).render(
    <StrictMode>
      <MantineProvider theme={theme()} cssVariablesResolver={variables} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        <Notifications position="bottom-left" limit={4} className="sentences" />
        <I18nProvider i18n={i18n}>
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </I18nProvider>
      </MantineProvider>
    </StrictMode>,
  ),
);
