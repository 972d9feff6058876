import { t } from "@lingui/core/macro";
import { Button, Checkbox, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Problem } from "../../api/client";
import { type Me, useMe } from "../../data/me";
import { queryClient } from "../../data/client";
import { changeMe } from "../../data/sessions";
import { tokensQuery } from "../../data/tokens";
import { SavedText } from "../../parts/Saved";
import { Refused } from "../../parts/states";
import { tell } from "../../tell";
import { Section, SettingsColumn } from "./Column";

/** What colleagues see of you, and what lets you in. */
export function Profile() {
  const me = useMe();
  if (!me) return null;
  const { email } = me.member;
  return (
    <SettingsColumn title={t`Name and password`}>
      <Section title={t`Name`}>
        <SavedText
          label={t`Your name`}
          description={t`Colleagues see it next to your actions.`}
          field="name"
          maxLength={200}
          autoComplete="name"
          value={me.member.name}
          save={(name) => changeMe({ name })}
        />
        <Text size="sm" c="dimmed">
          {t`You sign in as ${email}.`} {roleSentence()[me.member.role]}
        </Text>
      </Section>
      <Section title={t`Password`} about={t`Changing it signs you out of your other sessions.`}>
        <PasswordChange me={me} />
      </Section>
    </SettingsColumn>
  );
}

const roleSentence = () => ({
  admin: t`You are an admin and can change everything.`,
  agent: t`You are an agent and can answer requests.`,
  viewer: t`You are a viewer and can only read.`,
});

function PasswordChange({ me }: { me: Me }) {
  const [current, setCurrent] = useState("");
  const [wanted, setWanted] = useState("");
  const [revoke, setRevoke] = useState(false);
  const change = useMutation({
    mutationFn: () => changeMe({ password: { ...(current && { current }), new: wanted, revoke_tokens: revoke } }),
    onSuccess: () => {
      if (revoke) void queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });
      setCurrent("");
      setWanted("");
      setRevoke(false);
      tell(revoke ? t`Password changed and tokens revoked.` : t`Password changed.`);
    },
  });
  const fields = change.error instanceof Problem ? change.error.fields : {};
  const ofCurrent = fields["password.current"];
  const ofNew = fields["password.new"] ?? fields["password"];
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        change.mutate();
      }}
    >
      <Stack maw={380}>
        {!ofCurrent && !ofNew && <Refused error={change.error} />}
        {/* So that a password manager knows whose password it is. */}
        <input type="hidden" name="username" autoComplete="username" value={me.member.email} readOnly />
        <PasswordInput
          label={t`Current password`}
          description={t`Leave empty if you have none yet.`}
          autoComplete="current-password"
          value={current}
          onChange={(e) => setCurrent(e.currentTarget.value)}
          error={ofCurrent}
        />
        <PasswordInput
          label={t`New password`}
          description={t`At least 10 characters and not a common password.`}
          autoComplete="new-password"
          required
          withAsterisk={false}
          value={wanted}
          onChange={(e) => setWanted(e.currentTarget.value)}
          error={ofNew}
        />
        <Checkbox
          label={t`Also revoke my tokens`}
          description={t`Do this if someone else may know your password. Programs that use the tokens stop working.`}
          checked={revoke}
          onChange={(e) => setRevoke(e.currentTarget.checked)}
        />
        <Button type="submit" w="fit-content" loading={change.isPending}>
          {t`Change password`}
        </Button>
      </Stack>
    </form>
  );
}
