import { t } from "@lingui/core/macro";
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type Choice, signIn } from "../data/auth";
import { Refusal } from "./states";

/**
 * The email and password form, used by the sign-in page and by the dialog that appears when a session ends. If the password
 * opens several accounts, `account` names the wanted one; without it, `done` gets the choice.
 */
export function SignInForm({ known = "", account, done }: { known?: string; account?: number; done: (choice: Choice | null) => void }) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const enter = useMutation({ mutationFn: signIn, onSuccess: done });
  return (
    <>
      <Refusal error={enter.error} />
      <form
        onSubmit={(e) => {
          e.preventDefault();
          enter.mutate({ email, password, ...(account !== undefined && { account_id: account }) });
        }}
        style={{ display: "contents" }}
      >
        <TextInput
          label={t`Email`}
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          autoFocus={known === ""}
          value={email}
          onChange={(e) => setEmail(e.currentTarget.value)}
        />
        <PasswordInput
          label={t`Password`}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          {...(known !== "" && { "data-autofocus": true })}
          value={password}
          onChange={(e) => setPassword(e.currentTarget.value)}
        />
        <Button type="submit" size="sm" loading={enter.isPending || enter.isSuccess}>
          {t`Sign in`}
        </Button>
      </form>
    </>
  );
}
