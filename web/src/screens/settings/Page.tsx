import { t } from "@lingui/core/macro";
import { useMediaQuery } from "@mantine/hooks";
import { IconMapQuestion } from "@tabler/icons-react";
import { Navigate, getRouteApi } from "@tanstack/react-router";
import { Suspense } from "react";
import { useMe } from "../../data/me";
import { Empty, Loading } from "../../parts/states";
import { ForAdmins } from "./ForAdmins";
import { pages } from "./pages";

const route = getRouteApi("/frame/settings/$page");

/** The page that the address names. */
export function Page() {
  const { page: path } = route.useParams();
  const me = useMe();
  const page = pages.find((p) => p.path === path);
  if (!page)
    return (
      <Empty icon={IconMapQuestion} title={t`Page not found`}>
        {t`Choose one from the list of settings.`}
      </Empty>
    );
  if (!me) return <Loading />;
  if (page.adminOnly && me.member.role !== "admin") return <ForAdmins />;
  return (
    <Suspense fallback={<Loading />}>
      <page.component key={path} />
    </Suspense>
  );
}

/** Where there is room beside the list, the first page is shown at once; on a phone, the list alone. */
export function FirstPage() {
  const wide = useMediaQuery("(min-width: 48.01em)", undefined, { getInitialValueInEffect: false });
  return wide ? <Navigate to="/settings/$page" params={{ page: pages[0]?.path ?? "" }} replace /> : null;
}
