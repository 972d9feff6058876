import { t } from "@lingui/core/macro";
import { Button, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Problem } from "../../api/client";
import { accountsQuery, enterAccount } from "../../data/auth";
import { Loading, Refusal } from "../../parts/states";
import { Door } from "./Door";
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
      <Door title={t`Sign in again`}>
        <Refusal error={over} />
        <Button component="a" href={`/sign-in${next ? `?next=${encodeURIComponent(next)}` : ""}`} size="sm">
          {t`Sign in`}
        </Button>
      </Door>
    );
  if (!accounts.data?.length)
    return (
      <Door title={t`No other accounts`} hint={t`Are you a member of another account? Sign out and sign in again to see it.`}>
        <Text>{t`You have only one account, or you are not signed in.`}</Text>
        <Button component="a" href="/" size="sm">
          {t`Continue`}
        </Button>
      </Door>
    );
  return (
    <Door title={t`Choose an account`} hint={t`You can switch later from the menu with your name.`}>
      <Refusal error={enter.error} />
      {accounts.data.map((a) => (
        <Button
          key={a.id}
          variant="default"
          size="sm"
          rightSection={a.is_current && t({ message: "(current)", context: "account" })}
          loading={(enter.isPending || enter.isSuccess) && enter.variables === a.id}
          onClick={() => (a.is_current ? location.assign(inside(next)) : enter.mutate(a.id))}
        >
          {a.name}
        </Button>
      ))}
    </Door>
  );
}
