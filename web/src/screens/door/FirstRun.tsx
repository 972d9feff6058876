import { t } from "@lingui/core/macro";
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { useState } from "react";
import { doorQuery, firstRun } from "../../data/auth";
import { Loading, Refusal } from "../../parts/states";
import { Door, fieldProblem } from "./Door";

/** Makes the account of a desk that has none, and its first admin. */
export function FirstRun() {
  const door = useQuery(doorQuery);
  // The address in the server's log has the code behind its #.
  const [code, setCode] = useState(location.hash.slice(1));
  const [linked] = useState(code !== "");
  const [given, setGiven] = useState({ account_name: "", name: "", email: "", password: "" });
  const make = useMutation({
    mutationFn: () => firstRun({ ...given, code: code.trim() }),
    onSuccess: () => location.assign("/sandbox"),
  });
  if (door.isPending) return <Loading />;
  if (door.data && !door.data.first_run) return <Navigate to="/sign-in" />;
  const field = (name: keyof typeof given) => ({
    name,
    required: true,
    withAsterisk: false,
    value: given[name],
    onChange: (e: { currentTarget: { value: string } }) => setGiven({ ...given, [name]: e.currentTarget.value }),
    error: fieldProblem(make.error, name),
  });
  return (
    <Door title={t`Welcome to Frontdesk`} hint={t`Next, try the built-in chat workspace or connect Slack.`}>
      <Refusal error={make.error ?? door.error} />
      <form
        onSubmit={(e) => {
          e.preventDefault();
          make.mutate();
        }}
        style={{ display: "contents" }}
      >
        {!linked && (
          <TextInput
            label={t({ message: "Code", context: "first run" })}
            description={t`The end of the link that the server printed when it started`}
            required
            withAsterisk={false}
            autoFocus
            value={code}
            onChange={(e) => setCode(e.currentTarget.value)}
            error={fieldProblem(make.error, "code")}
          />
        )}
        <TextInput label={t`Team or company name`} autoComplete="organization" autoFocus={linked} {...field("account_name")} />
        <TextInput label={t`Your name`} autoComplete="name" {...field("name")} />
        <TextInput label={t`Email`} type="email" autoComplete="username" {...field("email")} />
        <PasswordInput label={t`Password`} description={t`At least 10 characters and not a common password`} autoComplete="new-password" {...field("password")} />
        <Button type="submit" size="sm" loading={make.isPending || make.isSuccess}>
          {t`Create account`}
        </Button>
      </form>
    </Door>
  );
}
