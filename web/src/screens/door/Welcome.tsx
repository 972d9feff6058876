import { Button, PasswordInput, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { invited, welcome } from "../../data/auth";
import { Loading } from "../../parts/states";
import { Door, Refusal, fieldProblem } from "./Door";

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
      <Door title="This link no longer works" hint="Ask an admin for a new one.">
        <Refusal error={who.error} />
      </Door>
    );
  return (
    <Door title={`Welcome to ${who.data.account_name}`}>
      <Text>
        Choose a password for <b>{who.data.email}</b>.
      </Text>
      <Refusal error={enter.error} />
      <form
        onSubmit={(e) => {
          e.preventDefault();
          enter.mutate();
        }}
        style={{ display: "contents" }}
      >
        <input type="hidden" name="username" autoComplete="username" value={who.data.email} readOnly />
        <TextInput
          label="Your name"
          autoComplete="name"
          required
          withAsterisk={false}
          value={name ?? who.data.name ?? ""}
          onChange={(e) => setName(e.currentTarget.value)}
          error={fieldProblem(enter.error, "name")}
        />
        <PasswordInput
          label="Password"
          description="At least 10 characters and not a common password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          autoFocus
          value={password}
          onChange={(e) => setPassword(e.currentTarget.value)}
          error={fieldProblem(enter.error, "password")}
        />
        <Button type="submit" size="sm" loading={enter.isPending || enter.isSuccess}>
          Set password and sign in
        </Button>
      </form>
    </Door>
  );
}
