import { Button, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Problem } from "../../api/client";
import { accountsQuery, enterAccount } from "../../data/auth";
import { Loading } from "../../parts/states";
import { Door, Refusal } from "./Door";
import { inside } from "./SignIn";

const route = getRouteApi("/accounts");

/** Where a member of several accounts chooses one: after signing in, and to switch. */
export function Accounts() {
  const { next } = route.useSearch();
  const accounts = useQuery({ ...accountsQuery, staleTime: 0 });
  const enter = useMutation({
    mutationFn: enterAccount,
    // A fresh page: nothing of the other account is left in it.
    onSuccess: () => location.assign(inside(next)),
  });
  if (accounts.isPending) return <Loading />;
  const over = accounts.error ?? (enter.error instanceof Problem && enter.error.status === 403 ? enter.error : null);
  if (over)
    return (
      <Door title="Sign in again">
        <Refusal error={over} />
        <Button component="a" href={`/sign-in${next ? `?next=${encodeURIComponent(next)}` : ""}`} size="sm">
          Sign in
        </Button>
      </Door>
    );
  if (!accounts.data?.length)
    return (
      <Door title="No other accounts" hint="Are you a member of another account? Sign out and sign in again to see it.">
        <Text>You have only one account, or you are not signed in.</Text>
        <Button component="a" href="/" size="sm">
          Continue
        </Button>
      </Door>
    );
  return (
    <Door title="Choose an account" hint="You can switch later from the menu with your name.">
      <Refusal error={enter.error} />
      {accounts.data.map((a) => (
        <Button
          key={a.id}
          variant="default"
          size="sm"
          rightSection={a.is_current && "(current)"}
          loading={(enter.isPending || enter.isSuccess) && enter.variables === a.id}
          onClick={() => (a.is_current ? location.assign(inside(next)) : enter.mutate(a.id))}
        >
          {a.name}
        </Button>
      ))}
    </Door>
  );
}
