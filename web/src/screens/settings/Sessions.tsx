import { t } from "@lingui/core/macro";
import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Session, endSession, sessionsQuery } from "../../data/sessions";
import { Question } from "../../parts/Question";
import { Failure, Loading } from "../../parts/states";
import { tell } from "../../tell";
import { dateAndTime } from "../../parts/time";
import { SettingsColumn } from "./Column";
import { Row, Rows } from "./Rows";
import { Word } from "./Word";

/** Where you are signed in. */
export function Sessions() {
  const sessions = useQuery(sessionsQuery);
  const [ending, setEnding] = useState<Session | null>(null);
  return (
    <SettingsColumn title={t`Sessions`} about={t`Browsers where you are signed in. If you do not recognize one, end its session and change your password.`}>
      {sessions.isPending && <Loading shape="rows" rows={3} />}
      {sessions.isError && <Failure error={sessions.error} retry={() => void sessions.refetch()} />}
      {sessions.data && (
        <Rows label={t`Sessions`}>
          {sessions.data.map((s) => (
            <OneSession key={s.id} session={s} end={() => setEnding(s)} />
          ))}
        </Rows>
      )}
      <Question
        opened={ending !== null}
        close={() => setEnding(null)}
        title={t`End this session?`}
        yes={t`End session`}
        run={async () => {
          if (ending) await endSession(ending.id);
          tell(t`Session ended.`);
        }}
      >
        {t`Anyone using it must sign in again. Unsent drafts stay in that browser.`}
      </Question>
    </SettingsColumn>
  );
}

function OneSession({ session: s, end }: { session: Session; end: () => void }) {
  const browser = browserName(s.browser);
  const begun = dateAndTime(s.created_at);
  const used = s.last_used_at && dateAndTime(s.last_used_at);
  const expires = dateAndTime(s.expires_at);
  const { ip } = s;
  return (
    <Row
      action={
        s.is_current ? (
          <Word tone="good">{t`This browser`}</Word>
        ) : (
          <Button variant="default" onClick={end} aria-label={t`End session ${browser}`}>
            {t({ message: "End", context: "end a session" })}
          </Button>
        )
      }
    >
      <Text fw={550}>{browser}</Text>
      <Text size="sm" c="dimmed">
        {ip ? t`Signed in ${begun} from ${ip}.` : t`Signed in ${begun}.`} {used && t`Last used ${used}.`} {t`Expires ${expires} unless used before then.`}
      </Text>
    </Row>
  );
}

/** "Firefox on Linux", as far as the browser says so. Most claim to be others, too, so the order matters. */
function browserName(agent: string): string {
  const browser = [
    ["Edg/", "Edge"],
    ["OPR/", "Opera"],
    ["Firefox/", "Firefox"],
    ["Chrome/", "Chrome"],
    ["Safari/", "Safari"],
  ].find(([mark]) => agent.includes(mark ?? ""))?.[1];
  const system = [
    ["Android", "Android"],
    ["iPhone", "iPhone"],
    ["iPad", "iPad"],
    ["Windows", "Windows"],
    ["Mac OS", "macOS"],
    ["Linux", "Linux"],
  ].find(([mark]) => agent.includes(mark ?? ""))?.[1];
  if (browser) return system ? t`${browser} on ${system}` : browser;
  return system ? t`A browser on ${system}` : t`A browser`;
}
