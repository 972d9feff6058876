import { t } from "@lingui/core/macro";
import { Button, CopyButton, Group, Rating, Text, TextInput } from "@mantine/core";
import { IconThumbDown, IconThumbUp } from "@tabler/icons-react";
import { useState } from "react";
import type { Request } from "../../../data/requests";
import { sendSurvey } from "../../../data/tickets";
import { Dialog } from "../../../parts/Dialog";
import { Question } from "../../../parts/Question";
import { Part } from "./rows";

/** What the requester thinks of how it went. */
export function Survey({ request, mayWrite }: { request: Request; mayWrite: boolean }) {
  const [asking, setAsking] = useState(false);
  const [address, setAddress] = useState<string | null>(null);
  const survey = request.csat_survey;
  const comment = survey && "comment" in survey ? (survey.comment ?? "") : "";
  const channel = request.channel?.name;
  return (
    <Part title={t`Satisfaction`}>
      {survey === null && (
        <Group justify="space-between">
          <Text c="dimmed" size="sm">
            {t`No survey sent`}
          </Text>
          {mayWrite && request.state !== null && (
            <Button variant="default" size="compact-xs" onClick={() => setAsking(true)}>
              {t`Send survey`}
            </Button>
          )}
        </Group>
      )}
      {survey?.status === "pending" && <Text size="sm">{t`Survey sent, no answer yet`}</Text>}
      {survey?.status === "received" && "response" in survey && (
        <>
          {survey.response.max_value === 2 ? (
            <Group gap={6}>
              {survey.response.value === 2 ? <IconThumbUp size={16} color="var(--good)" aria-hidden /> : <IconThumbDown size={16} color="var(--bad)" aria-hidden />}
              <Text size="sm">{survey.response.value === 2 ? t({ message: "Good", context: "rating" }) : t({ message: "Bad", context: "rating" })}</Text>
            </Group>
          ) : (
            <Group gap={8}>
              <Rating value={survey.response.value} readOnly size="xs" aria-hidden />
              <Text size="sm">{ratingOf(survey.response)}</Text>
            </Group>
          )}
          {survey.comment && (
            <Text size="sm" mt={4} dir="auto" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
              {t`“${comment}”`}
            </Text>
          )}
        </>
      )}
      {/* It is in the customer's thread at once, so there is nothing to undo. */}
      <Question opened={asking} close={() => setAsking(false)} title={t`Send a survey?`} yes={t`Send survey`} dangerous={false} run={async () => setAddress(await sendSurvey(request.id))}>
        {channel
          ? t`It is posted in the request’s thread in #${channel}. You cannot take it back, and each request has only one survey.`
          : t`It is posted in the request’s thread. You cannot take it back, and each request has only one survey.`}
      </Question>
      <Dialog opened={address !== null} onClose={() => setAddress(null)} title={t`Survey sent`}>
        <Text mb="sm">{t`The survey was posted in the request’s thread. The requester can also answer on the page below. The link is shown only once, and anyone who has it can answer.`}</Text>
        <Group wrap="nowrap" align="flex-end">
          <TextInput label={t`Survey link`} readOnly value={address ?? ""} flex={1} />
          <CopyButton value={address ?? ""}>{({ copied, copy }) => <Button onClick={copy}>{copied ? t`Copied` : t({ message: "Copy", context: "verb" })}</Button>}</CopyButton>
        </Group>
      </Dialog>
    </Part>
  );
}

function ratingOf({ value, max_value: most }: { value: number; max_value: number }): string {
  return t`${value} of ${most}`;
}
