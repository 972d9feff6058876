import { t } from "@lingui/core/macro";
import { Text } from "@mantine/core";
import type { Request } from "../../../data/requests";
import { emotions, sentiments } from "../filterNames";
import { Part, Row } from "./rows";

/** The category, sentiment and emotion that were detected in the conversation. */
export function AiFields({ request }: { request: Request }) {
  const { category, sentiment, emotion } = request.ai_field_values;
  const rows = [
    [t`Category`, category?.map(words).join(", ")],
    [t`Sentiment`, sentiment && (sentiments()[sentiment] ?? words(sentiment))],
    [t`Emotion`, emotion && (emotions()[emotion] ?? words(emotion))],
  ].filter(([, v]) => v);
  if (rows.length === 0) return null;
  return (
    <Part title={t`Detected`}>
      {rows.map(([name, value]) => (
        <Row key={name} name={name!}>
          <Text size="sm">{value}</Text>
        </Row>
      ))}
    </Part>
  );
}

function words(id: string): string {
  const text = id.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
