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
    <SettingsColumn title="Sessions" about="Browsers where you are signed in. If you do not recognize one, end its session and change your password.">
      {sessions.isPending && <Loading shape="rows" rows={3} />}
      {sessions.isError && <Failure error={sessions.error} retry={() => void sessions.refetch()} />}
      {sessions.data && (
        <Rows label="Sessions">
          {sessions.data.map((s) => (
            <Row
              key={s.id}
              action={
                s.is_current ? (
                  <Word tone="good">This browser</Word>
                ) : (
                  <Button variant="default" onClick={() => setEnding(s)} aria-label={`End session ${browserName(s.browser)}`}>
                    End
                  </Button>
                )
              }
            >
              <Text fw={550}>{browserName(s.browser)}</Text>
              <Text size="sm" c="dimmed">
                Signed in {dateAndTime(s.created_at)}
                {s.ip && ` from ${s.ip}`}
                {s.last_used_at && `, last used ${dateAndTime(s.last_used_at)}`}. Expires {dateAndTime(s.expires_at)} unless used before then.
              </Text>
            </Row>
          ))}
        </Rows>
      )}
      <Question
        opened={ending !== null}
        close={() => setEnding(null)}
        title="End this session?"
        yes="End session"
        run={async () => {
          if (ending) await endSession(ending.id);
          tell("Session ended.");
        }}
      >
        Anyone using it must sign in again. Unsent text stays in that browser.
      </Question>
    </SettingsColumn>
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
  return `${browser ?? "A browser"}${system ? ` on ${system}` : ""}`;
}
