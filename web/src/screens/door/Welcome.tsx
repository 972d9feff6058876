import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, PasswordInput, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { invited, welcome } from "../../data/auth";
import { Loading, Refusal } from "../../parts/states";
import { Door, fieldProblem } from "./Door";

/** Where the link of an invitation leads: somebody sets their password. */
export function Welcome() {
  // After the #, so that it is in no server's log.
  const invitation = location.hash.slice(1);
  const who = useQuery({ queryKey: ["invitation", invitation], queryFn: () => invited(invitation), retry: false });
  const [name, setName] = useState<string | null>(null);
  const [password, setPassword] = useState("");
  const enter = useMutation({
    mutationFn: () => welcome({ invitation, password, ...(name && { name }) }),
    onSuccess: () => location.assign("/"),
  });
  if (who.isPending) return <Loading />;
  if (who.isError)
    return (
      <Door title={t`This link no longer works`} hint={t`Ask an admin for a new one.`}>
        <Refusal error={who.error} />
      </Door>
    );
  const { account_name: account, email } = who.data;
  const address = <b>{email}</b>; // as an element, since tags in a text would be taken for those of <Trans>
  return (
    <Door title={t`Welcome to ${account}`}>
      <Text>
        <Trans>Choose a password for {address}.</Trans>
      </Text>
      <Refusal error={enter.error} />
      <form
        onSubmit={(e) => {
          e.preventDefault();
          enter.mutate();
        }}
        style={{ display: "contents" }}
      >
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <TextInput
          label={t`Your name`}
          autoComplete="name"
          required
          withAsterisk={false}
          value={name ?? who.data.name ?? ""}
          onChange={(e) => setName(e.currentTarget.value)}
          error={fieldProblem(enter.error, "name")}
        />
        <PasswordInput
          label={t`Password`}
          description={t`At least 10 characters and not a common password`}
          autoComplete="new-password"
          required
          withAsterisk={false}
          autoFocus
          value={password}
          onChange={(e) => setPassword(e.currentTarget.value)}
          error={fieldProblem(enter.error, "password")}
        />
        <Button type="submit" size="sm" loading={enter.isPending || enter.isSuccess}>
          {t`Set password and sign in`}
        </Button>
      </form>
    </Door>
  );
}
