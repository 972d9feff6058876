import { t } from "@lingui/core/macro";
import { Checkbox, Radio, SimpleGrid, Stack, Text } from "@mantine/core";
import { type WebhookEventType, eventTypes } from "../../data/webhooks";

/** What a webhook is told of: everything, or what is chosen. An empty list is everything, as in the API. */
export function EventTypes({ value, onChange, some, setSome }: { value: WebhookEventType[]; onChange: (types: WebhookEventType[]) => void; some: boolean; setSome: (some: boolean) => void }) {
  const all = Object.entries(eventTypes) as [WebhookEventType, string][];
  return (
    <Stack gap="sm">
      <Radio.Group label={t`Events`} value={some ? "some" : "all"} onChange={(v) => setSome(v === "some")}>
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={t`All events, including ones added later`} />
          <Radio value="some" label={t`Selected events`} />
        </Stack>
      </Radio.Group>
      {some && (
        <Checkbox.Group aria-label={t`Event types`} value={value} onChange={(v) => onChange(all.map(([type]) => type).filter((t) => v.includes(t)))}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" verticalSpacing="xs" ps={4}>
            {all.map(([type, words]) => (
              <Checkbox
                key={type}
                value={type}
                label={
                  <>
                    {words}
                    <Text span display="block" size="xs" c="dimmed" ff="monospace">
                      {type}
                    </Text>
                  </>
                }
              />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
    </Stack>
  );
}
