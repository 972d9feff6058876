import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { useState } from "react";
import { doorQuery, firstRun } from "../../data/auth";
import { Loading } from "../../parts/states";
import { Door, Refusal, fieldProblem } from "./Door";

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
    <Door title="Welcome to Frontdesk" hint="Next, try the built-in chat workspace or connect Slack.">
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
            label="Code"
            description="The end of the link that the server printed when it started"
            required
            withAsterisk={false}
            autoFocus
            value={code}
            onChange={(e) => setCode(e.currentTarget.value)}
            error={fieldProblem(make.error, "code")}
          />
        )}
        <TextInput label="Team or company name" autoComplete="organization" autoFocus={linked} {...field("account_name")} />
        <TextInput label="Your name" autoComplete="name" {...field("name")} />
        <TextInput label="Email" type="email" autoComplete="username" {...field("email")} />
        <PasswordInput label="Password" description="At least 10 characters and not a common password" autoComplete="new-password" {...field("password")} />
        <Button type="submit" size="sm" loading={make.isPending || make.isSuccess}>
          Create account
        </Button>
      </form>
    </Door>
  );
}
