import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor } from "@mantine/core";
import { IconUserQuestion } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Problem } from "../../api/client";
import { useIsAdmin, useMe } from "../../data/me";
import { usersFound } from "../../data/people";
import { sandboxQuery } from "../../data/sandbox";
import { AppLink } from "../../parts/AppLink";
import { ConnectChat } from "../../parts/ConnectChat";
import { Empty, Loading } from "../../parts/states";

/** Insights are only for people with a profile in the chat system: what somebody without one can do. */
export function NoProfile() {
  const me = useMe();
  const admin = useIsAdmin();
  const sandbox = useQuery(sandboxQuery);
  const offered = sandbox.data?.offered === true;
  // Whether anybody is known from a chat; members may ask that, and not what the account is connected to. Where there
  // is no chat, it is refused.
  const people = useQuery({ ...usersFound(""), enabled: !sandbox.isPending && !offered, retry: false });
  const nobody = people.data?.length === 0 || (people.error instanceof Problem && people.error.status === 406);
  if (!me || sandbox.isPending || (!offered && people.isPending)) return <Loading />;
  const email = <b>{me.member.email}</b>; // as an element, since tags in a text would be taken for those of <Trans>
  if (offered)
    return (
      <Empty icon={IconUserQuestion} title={t`Insights need a chat`} action={<ConnectChat />}>
        {admin
          ? t`Insights are for people with a profile in the account’s chat, and no chat is connected yet.`
          : t`Insights are for people with a profile in the account’s chat, and no chat is connected yet. Ask an admin to connect one.`}
      </Empty>
    );
  if (nobody)
    return (
      <Empty icon={IconUserQuestion} title={t`Insights need a chat`} action={<ConnectChat />}>
        <p>{t`Insights are for people with a profile in the account’s chat, and no chat is connected yet.`}</p>
        <p>
          {admin ? (
            <Trans>Connect one in the chat settings. Your profile is then found by your email, {email}.</Trans>
          ) : (
            <Trans>Ask an admin to connect one. Your profile is then found by your email, {email}.</Trans>
          )}
        </p>
      </Empty>
    );
  return (
    <Empty icon={IconUserQuestion} title={t`No chat profile for your email`}>
      <p>
        <Trans>Insights are for people with a profile in the account’s chat. Nobody there has your email, {email}.</Trans>
      </p>
      <p>{t`Join the chat workspace with this email, and your profile is found within ten minutes.`}</p>
      {admin ? (
        <p>
          <Trans>
            If you use another email there, add yourself with it in{" "}
            <Anchor component={AppLink} href="/settings/people" inherit underline="always">
              People and roles
            </Anchor>{" "}
            and sign in with it.
          </Trans>
        </p>
      ) : (
        <p>{t`If you use another email there, ask an admin to add you with it.`}</p>
      )}
    </Empty>
  );
}
