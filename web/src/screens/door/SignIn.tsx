import { type MessageDescriptor, i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Alert, Button, Divider } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { doorQuery } from "../../data/auth";
import { SignInForm } from "../../parts/SignInForm";
import { Door } from "./Door";

const route = getRouteApi("/sign-in");

/** What the server says by a word when a provider's answer lets nobody in. */
const problems: Record<string, MessageDescriptor> = {
  not_a_member: msg`No one here has the email address that your provider sent. Ask an admin to add you.`,
  email_not_verified: msg`Your provider has not verified your email. Verify it there, then try again.`,
  email_not_plain: msg`Your email address contains characters that could be mistaken for plain letters a to z. Ask an admin for a link and sign in with a password.`,
  provider_failed: msg`Your provider returned an unexpected response. Try again, or sign in with your password.`,
};

/** Sign-in by email and password, or by the provider that the operator has set up. */
export function SignIn() {
  const { next, problem } = route.useSearch();
  const provider = useQuery(doorQuery).data?.provider?.name;
  return (
    <Door title={t`Sign in`} hint={t`No password yet, or forgot it? Ask an admin for a new link.`}>
      {problem && (
        <Alert color="red" role="alert" variant="light">
          {i18n._(problems[problem] ?? msg`Something went wrong. Try again.`)}
        </Alert>
      )}
      {/* A fresh page, so that nothing of whoever was here before is left in it. */}
      <SignInForm done={(choice) => location.assign(choice ? `/accounts${next ? `?next=${encodeURIComponent(next)}` : ""}` : inside(next))} />
      {provider && (
        <>
          <Divider label={t({ message: "or", context: "ways to sign in" })} />
          <Button component="a" href="/auth/provider" variant="default" size="sm">
            {t`Sign in with ${provider}`}
          </Button>
        </>
      )}
    </Door>
  );
}

/** Where to go on: a page of ours, never another site. It is the whole address, since a path that begins with two slashes would name a host. */
export function inside(next: string | undefined): string {
  if (!next || !URL.canParse(next, location.origin)) return "/";
  const url = new URL(next, location.origin);
  const ours = url.origin === location.origin && url.protocol === location.protocol; // a blob: has the origin of who made it
  return ours ? location.origin + url.pathname + url.search + url.hash : "/";
}
