import { Text } from "@mantine/core";
import type { Request } from "../../../data/requests";
import { Part, Row } from "./rows";

/** The category, sentiment and emotion that were detected in the conversation. */
export function AiFields({ request }: { request: Request }) {
  const { category, sentiment, emotion } = request.ai_field_values;
  const rows = [
    ["Category", category?.map(words).join(", ")],
    ["Sentiment", sentiment && words(sentiment)],
    ["Emotion", emotion && words(emotion)],
  ].filter(([, v]) => v);
  if (rows.length === 0) return null;
  return (
    <Part title="Detected">
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
