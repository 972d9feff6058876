import { Alert, Button, Divider } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { doorQuery } from "../../data/auth";
import { Door } from "./Door";
import { SignInForm } from "./SignInForm";

const route = getRouteApi("/sign-in");

/** What the server says by a word when a provider's answer lets nobody in. */
const problems: Record<string, string> = {
  not_a_member: "No one here has the email address that your provider sent. Ask an admin to add you.",
  email_not_verified: "Your provider has not verified your email. Verify it there, then try again.",
  email_not_plain: "Your email address has characters other than a to z that could be mistaken for others. Ask an admin for a link, and sign in with a password.",
  provider_failed: "Your provider returned an unexpected response. Try again, or sign in with your password.",
};

/** Sign-in by email and password, or by the provider that the operator has set up. */
export function SignIn() {
  const { next, problem } = route.useSearch();
  const door = useQuery(doorQuery).data;
  return (
    <Door title="Sign in" hint="No password yet, or forgot it? Ask an admin for a new link.">
      {problem && (
        <Alert color="red" role="alert" variant="light">
          {problems[problem] ?? "Something went wrong. Try again."}
        </Alert>
      )}
      {/* A fresh page, so that nothing of whoever was here before is left in it. */}
      <SignInForm done={(choice) => location.assign(choice ? `/accounts${next ? `?next=${encodeURIComponent(next)}` : ""}` : inside(next))} />
      {door?.provider && (
        <>
          <Divider label="or" />
          <Button component="a" href="/auth/provider" variant="default" size="sm">
            Sign in with {door.provider.name}
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
