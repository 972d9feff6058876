import { Button, CopyButton, Group, Modal, Rating, Text, TextInput } from "@mantine/core";
import { IconThumbDown, IconThumbUp } from "@tabler/icons-react";
import { useState } from "react";
import type { Request } from "../../../data/requests";
import { sendSurvey } from "../../../data/tickets";
import { Question } from "../../../parts/Question";
import { Part } from "./rows";

/** What the requester thinks of how it went. */
export function Survey({ request, mayWrite }: { request: Request; mayWrite: boolean }) {
  const [asking, setAsking] = useState(false);
  const [address, setAddress] = useState<string | null>(null);
  const survey = request.csat_survey;
  return (
    <Part title="Satisfaction">
      {survey === null && (
        <Group justify="space-between">
          <Text c="dimmed" size="sm">
            No survey sent
          </Text>
          {mayWrite && request.state !== null && (
            <Button variant="default" size="compact-xs" onClick={() => setAsking(true)}>
              Send survey
            </Button>
          )}
        </Group>
      )}
      {survey?.status === "pending" && <Text size="sm">Survey sent, no answer yet</Text>}
      {survey?.status === "received" && "response" in survey && (
        <>
          {survey.response.max_value === 2 ? (
            <Group gap={6}>
              {survey.response.value === 2 ? <IconThumbUp size={16} color="var(--good)" aria-hidden /> : <IconThumbDown size={16} color="var(--bad)" aria-hidden />}
              <Text size="sm">{survey.response.value === 2 ? "Good" : "Bad"}</Text>
            </Group>
          ) : (
            <Group gap={8}>
              <Rating value={survey.response.value} readOnly size="xs" aria-hidden />
              <Text size="sm">
                {survey.response.value} of {survey.response.max_value}
              </Text>
            </Group>
          )}
          {survey.comment && (
            <Text size="sm" mt={4} dir="auto" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
              “{survey.comment}”
            </Text>
          )}
        </>
      )}
      {/* It is in the customer's thread at once, so there is nothing to undo. */}
      <Question opened={asking} close={() => setAsking(false)} title="Send a survey?" yes="Send survey" dangerous={false} run={async () => setAddress(await sendSurvey(request.id))}>
        {request.channel ? `It is posted in the request’s thread in #${request.channel.name}.` : "It is posted in the request’s thread."} It cannot be taken back, and a request has only one survey.
      </Question>
      <Modal opened={address !== null} onClose={() => setAddress(null)} title="Survey sent">
        <Text mb="sm">The survey was posted in the request’s thread. The requester can also answer on this page. The link is shown only once, and anyone who has it can answer.</Text>
        <Group wrap="nowrap" align="flex-end">
          <TextInput label="Survey link" readOnly value={address ?? ""} flex={1} />
          <CopyButton value={address ?? ""}>{({ copied, copy }) => <Button onClick={copy}>{copied ? "Copied" : "Copy"}</Button>}</CopyButton>
        </Group>
      </Modal>
    </Part>
  );
}
