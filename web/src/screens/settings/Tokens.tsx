import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Button, Code, Group, Text } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type MadeToken, type Token, removeToken, tokensQuery } from "../../data/tokens";
import { Question } from "../../parts/Question";
import { Empty, Failure, Loading } from "../../parts/states";
import { tell } from "../../tell";
import { dateAndTime, pointInTime, useNow } from "../../parts/time";
import { SettingsColumn } from "./Column";
import { MakeToken } from "./MakeToken";
import { NewTokenSecret } from "./NewTokenSecret";
import { Row, Rows } from "./Rows";
import { Word } from "./Word";

/** The tokens with which programs act as you. */
export function Tokens() {
  const tokens = useQuery(tokensQuery);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<MadeToken | null>(null);
  const [removing, setRemoving] = useState<Token | null>(null);
  const gone = removing?.name ?? "";
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t`New token`}
    </Button>
  );
  return (
    <SettingsColumn
      title={t`Access tokens`}
      about={
        <Trans>
          Programs that use your token act as you. See the{" "}
          <Anchor href="/docs/" underline="always" inherit>
            API documentation
          </Anchor>{" "}
          for what they can call.
        </Trans>
      }
      action={add}
    >
      {made && <NewTokenSecret token={made} done={() => setMade(null)} />}
      {tokens.isPending && <Loading shape="rows" rows={3} />}
      {tokens.isError && <Failure error={tokens.error} retry={() => void tokens.refetch()} />}
      {tokens.data?.length === 0 && (
        <Empty icon={IconKey} title={t`No tokens yet`} action={add}>
          {t`Create one to call the API from a script.`}
        </Empty>
      )}
      {tokens.data && tokens.data.length > 0 && (
        <Rows label={t`Access tokens`}>
          {tokens.data.map((token) => (
            <OneToken key={token.id} token={token} revoke={() => setRemoving(token)} />
          ))}
        </Rows>
      )}
      <MakeToken
        opened={making}
        close={() => setMaking(false)}
        made={(token) => {
          setMaking(false);
          setMade(token);
        }}
      />
      <Question
        opened={removing !== null}
        close={() => setRemoving(null)}
        title={t`Revoke token “${gone}”?`}
        yes={t`Revoke`}
        run={async () => {
          if (removing) await removeToken(removing.id);
          if (removing?.id === made?.id) setMade(null);
          tell(t`Token revoked.`);
        }}
      >
        {t`Programs that use it stop working. This cannot be undone.`}
      </Question>
    </SettingsColumn>
  );
}

function OneToken({ token, revoke }: { token: Token; revoke: () => void }) {
  const expired = useNow() >= Date.parse(token.expires_at ?? "9999-01-01");
  const { name } = token;
  const made = pointInTime(token.created_at);
  const used = token.last_used_at && dateAndTime(token.last_used_at);
  const end = token.expires_at && dateAndTime(token.expires_at);
  return (
    <Row
      action={
        <Button variant="default" onClick={revoke} aria-label={t`Revoke token ${name}`}>
          {t`Revoke`}
        </Button>
      }
    >
      <Group gap="xs">
        <Text fw={550}>{name}</Text>
        <Word tone="plain">{token.scope === "read_only" ? t`Read only` : t`Read and write`}</Word>
      </Group>
      <Text size="sm" c="dimmed">
        <Code>{token.prefix}…</Code> {t`Created ${made}.`} {used ? t`Last used ${used}.` : t`Never used.`}{" "}
        {end && (
          <Text span c={expired ? "var(--bad)" : "inherit"}>
            {expired ? t`Expired ${end}.` : t`Expires ${end}.`}
          </Text>
        )}
      </Text>
    </Row>
  );
}
