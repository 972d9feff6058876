// A form that Frontdesk has opened before the person one acts as.
import { t } from "@lingui/core/macro";
import { Button, Checkbox, Group, MultiSelect, Radio, Select, Stack, TextInput, Textarea } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SlackBlock, SlackElement, SlackView } from "../../data/slack";
import { viewsQuery } from "../../data/workspace";
import { Dialog } from "../../parts/Dialog";
import { tellProblem } from "../../tell";
import { Blocks, plain, useOptions } from "./Blocks";
import { useActing } from "./acting";

/** The topmost form, if one is open. */
export function Form() {
  const slack = useActing();
  const view = useQuery(viewsQuery(slack)).data?.at(-1);
  return view ? <OpenForm key={view.id} view={view} /> : null;
}

function OpenForm({ view }: { view: SlackView }) {
  const slack = useActing();
  const client = useQueryClient();
  const [values, setValues] = useState<Record<string, string>>({});
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const again = () => client.invalidateQueries({ queryKey: ["slack", slack.me] });
  const submit = useMutation({
    mutationFn: () => slack.act<{ errors?: Record<string, string> }>("submit", { view: view.id, values }),
    onSuccess: ({ errors }) => {
      setWrong(errors ?? {});
      if (!errors) void again();
    },
    onError: (e) => tellProblem(e, t`Your entries are still here.`),
  });
  const close = useMutation({ mutationFn: () => slack.act("close", { view: view.id }), onError: (e) => tellProblem(e), onSettled: again });
  return (
    <Dialog opened onClose={() => close.mutate()} title={plain(view.title)}>
      <form
        noValidate
        onSubmit={(e) => {
          e.preventDefault();
          submit.mutate();
        }}
      >
        <Stack>
          {view.blocks.map((b) =>
            b.type === "input" && b.element ? (
              <Input
                key={b.block_id}
                block={b}
                element={b.element}
                value={values[b.element.action_id ?? ""] ?? initially(b.element)}
                error={wrong[b.block_id]}
                set={(value) => setValues({ ...values, [b.element?.action_id ?? ""]: value })}
              />
            ) : (
              <Blocks key={b.block_id} blocks={[b]} where={{ view: view.id }} />
            ),
          )}
          <Group justify="flex-end">
            <Button variant="default" loading={close.isPending} onClick={() => close.mutate()}>
              {view.close ? plain(view.close) : t`Cancel`}
            </Button>
            {view.submit && (
              <Button type="submit" loading={submit.isPending}>
                {plain(view.submit)}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** What an input holds when nobody has touched it; lists have commas. */
function initially(e: SlackElement): string {
  const list = e.initial_options?.map((o) => o.value) ?? e.initial_users;
  return list?.join(",") ?? e.initial_option?.value ?? e.initial_value ?? e.initial_user ?? e.initial_channel ?? e.initial_conversation ?? e.initial_date ?? e.initial_time ?? "";
}

function Input({ block, element, value, error, set }: { block: SlackBlock; element: SlackElement; value: string; error: string | undefined; set: (value: string) => void }) {
  const data = useOptions(element);
  const same = { label: plain(block.label), description: block.hint && plain(block.hint), error, placeholder: plain(element.placeholder), required: !block.optional, withAsterisk: false };
  const list = value ? value.split(",") : [];
  const kind = element.type;
  if (kind === "checkboxes")
    return (
      <Checkbox.Group {...same} value={list} onChange={(v) => set(v.join(","))}>
        <Stack gap={6} mt={4}>
          {data.map((o) => (
            <Checkbox key={o.value} value={o.value} label={o.label} />
          ))}
        </Stack>
      </Checkbox.Group>
    );
  if (kind === "radio_buttons")
    return (
      <Radio.Group {...same} value={value} onChange={set}>
        <Stack gap={6} mt={4}>
          {data.map((o) => (
            <Radio key={o.value} value={o.value} label={o.label} />
          ))}
        </Stack>
      </Radio.Group>
    );
  if (kind.startsWith("multi_")) return <MultiSelect {...same} data={data} value={list} searchable onChange={(v) => set(v.join(","))} />;
  if (kind.endsWith("_select")) return <Select {...same} data={data} value={value || null} searchable clearable={block.optional ?? false} onChange={(v) => set(v ?? "")} />;
  if (element.multiline) return <Textarea dir="auto" {...same} autosize minRows={3} maxRows={12} value={value} onChange={(e) => set(e.currentTarget.value)} />;
  const types: Record<string, string> = { datepicker: "date", timepicker: "time", number_input: "number", email_text_input: "email", url_text_input: "url" };
  return <TextInput dir="auto" {...same} type={types[kind] ?? "text"} value={value} onChange={(e) => set(e.currentTarget.value)} />;
}
