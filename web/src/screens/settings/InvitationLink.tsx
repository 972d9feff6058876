import { t } from "@lingui/core/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type Member, inviteMember } from "../../data/members";
import { CopyLine } from "../../parts/Copy";
import { Dialog } from "../../parts/Dialog";
import { Refused } from "../../parts/states";
import { dateAndTime } from "../../parts/time";

/** The link with which somebody sets their password. It is made when asked for, since an older one ends by it. */
export function InvitationLink({ member, close }: { member: Member | null; close: () => void }) {
  const make = useMutation({ mutationFn: (m: Member) => inviteMember(m.id) });
  const leave = () => {
    make.reset();
    close();
  };
  const name = member?.name ?? "";
  const email = member?.email ?? "";
  const expires = make.data ? dateAndTime(make.data.expires_at) : "";
  return (
    <Dialog opened={member !== null} onClose={leave} title={t`Invitation link for ${name}`}>
      <Stack>
        {make.data ? (
          <>
            <Text>{t`Send this link to ${email} so they can set a password and sign in. It works once, until ${expires}, and is not shown again.`}</Text>
            <CopyLine label={t`Link`} text={make.data.url} />
          </>
        ) : (
          <Text>{t`Frontdesk does not email invitations. Create a link and send it to ${email} yourself, so they can set a password. Earlier links stop working.`}</Text>
        )}
        <Refused error={make.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={leave}>
            {make.data ? t`Done` : t`Later`}
          </Button>
          {!make.data && (
            <Button
              data-autofocus
              loading={make.isPending}
              onClick={() => {
                if (member) make.mutate(member);
              }}
            >
              {t`Create link`}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
