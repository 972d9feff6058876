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
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      New token
    </Button>
  );
  return (
    <SettingsColumn
      title="Access tokens"
      about={
        <>
          Programs that use your token act as you. See the{" "}
          <Anchor href="/docs/" underline="always" inherit>
            API documentation
          </Anchor>{" "}
          for what they can call.
        </>
      }
      action={add}
    >
      {made && <NewTokenSecret token={made} done={() => setMade(null)} />}
      {tokens.isPending && <Loading shape="rows" rows={3} />}
      {tokens.isError && <Failure error={tokens.error} retry={() => void tokens.refetch()} />}
      {tokens.data?.length === 0 && (
        <Empty icon={IconKey} title="No tokens yet" action={add}>
          Create one to call the API from a script.
        </Empty>
      )}
      {tokens.data && tokens.data.length > 0 && (
        <Rows label="Access tokens">
          {tokens.data.map((t) => (
            <Row
              key={t.id}
              action={
                <Button variant="default" onClick={() => setRemoving(t)} aria-label={`Revoke token ${t.name}`}>
                  Revoke
                </Button>
              }
            >
              <TokenFacts token={t} />
            </Row>
          ))}
        </Rows>
      )}
      <MakeToken
        opened={making}
        close={() => setMaking(false)}
        made={(t) => {
          setMaking(false);
          setMade(t);
        }}
      />
      <Question
        opened={removing !== null}
        close={() => setRemoving(null)}
        title={`Revoke token “${removing?.name ?? ""}”?`}
        yes="Revoke"
        run={async () => {
          if (removing) await removeToken(removing.id);
          if (removing?.id === made?.id) setMade(null);
          tell("Token revoked.");
        }}
      >
        Programs that use it stop working. This cannot be undone.
      </Question>
    </SettingsColumn>
  );
}

function TokenFacts({ token: t }: { token: Token }) {
  const expired = useNow() >= Date.parse(t.expires_at ?? "9999-01-01");
  return (
    <>
      <Group gap="xs">
        <Text fw={550}>{t.name}</Text>
        <Word tone="plain">{t.scope === "read_only" ? "Read only" : "Read and write"}</Word>
      </Group>
      <Text size="sm" c="dimmed">
        <Code>{t.prefix}…</Code> created {pointInTime(t.created_at)}, {t.last_used_at ? `last used ${dateAndTime(t.last_used_at)}` : "never used"}
        {t.expires_at && (
          <>
            ,{" "}
            <Text span c={expired ? "var(--bad)" : "inherit"}>
              {expired ? "expired" : "expires"} {dateAndTime(t.expires_at)}
            </Text>
          </>
        )}
      </Text>
    </>
  );
}
