import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ActionIcon, Button, Checkbox, Menu, Text, TextInput, Title } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useRef } from "react";
import type { CustomField } from "../../../data/customFields";
import type { FormField } from "../../../data/ticketForms";
import { Keys, useCommands } from "../../../frame/commands";
import { MoveButtons, moved, useKeepFocus } from "../../../parts/Order";
import { Tip } from "../../../parts/Tip";
import { tellUndo } from "../../../tell";
import classes from "./Builder.module.css";
import { kindOf, memberKeys, nameOf, newField } from "./words";

const most = 100;

type Props = {
  fields: FormField[];
  customFields: CustomField[];
  /** Shows a change that is still being typed. */
  draw: (fields: FormField[]) => void;
  /** Shows a change and keeps it. */
  save: (fields: FormField[]) => void;
};

/** What the form asks for, in order. */
export function FormFields({ fields, customFields, draw, save }: Props) {
  const keepFocus = useKeepFocus();
  const list = useRef<HTMLOListElement>(null);
  const before = useRef(""); // the label as it was when somebody began to change it
  const latest = useRef(fields);
  latest.current = fields;
  const move = (from: number, to: number) => {
    if (to < 0 || to >= fields.length) return;
    keepFocus();
    save(moved(fields, from, to));
  };
  /** The field in which the focus is; -1 for none. */
  const here = () => [...(list.current?.children ?? [])].findIndex((li) => li.contains(document.activeElement));
  const step = (by: 1 | -1) => {
    const at = here();
    if (at >= 0) move(at, at + by);
  };
  useCommands([
    { id: "form field up", label: t`Move field up`, keys: "mod+arrowup", group: t`Ticket form`, keyOnly: true, run: () => step(-1) },
    { id: "form field down", label: t`Move field down`, keys: "mod+arrowdown", group: t`Ticket form`, keyOnly: true, run: () => step(1) },
  ]);
  const change = (at: number, part: Partial<FormField>) => fields.map((f, i) => (i === at ? { ...f, ...part } : f));
  const remove = (at: number) => {
    const gone = fields[at];
    if (!gone) return;
    save(fields.filter((_, i) => i !== at));
    const { label } = gone;
    tellUndo(t`${label} removed from the form.`, () => {
      const now = latest.current;
      if (!now.some((f) => f.key === gone.key)) save([...now.slice(0, at), gone, ...now.slice(at)]);
    });
  };
  const there = new Set(fields.map((f) => f.key));
  const ofRequests = memberKeys.filter((k) => !there.has(k));
  const own = customFields.filter((f) => !there.has(String(f.id)));
  const add = (key: string) => save([...fields, newField(key, customFields)]);
  return (
    <section>
      <Title order={2}>{t`Fields`}</Title>
      <Text size="sm" c="dimmed" mt={4}>
        {t`Every ticket has a description, even if it is not listed here.`}{" "}
        <span className="needs-keyboard">
          <Trans>
            Press <Keys keys="mod+arrowup" /> or <Keys keys="mod+arrowdown" /> in a field to move it.
          </Trans>
        </span>
      </Text>
      <ol className={classes.fields} ref={list} aria-label={t`Form fields`}>
        {fields.map((f, i) => (
          <li key={f.key} className={classes.field} aria-label={f.label}>
            <div className={classes.line}>
              <TextInput
                label={`${nameOf(f.key, customFields)} · ${kindOf(f.key, customFields)}`}
                maxLength={200}
                placeholder={nameOf(f.key, customFields)}
                value={f.label}
                onChange={(e) => draw(change(i, { label: e.currentTarget.value }))}
                onFocus={() => (before.current = f.label)}
                onBlur={() => {
                  const label = f.label.trim() || nameOf(f.key, customFields);
                  if (label !== before.current) save(change(i, { label }));
                  before.current = label;
                }}
                className={classes.label}
              />
              <MoveButtons what={f.label} at={i} of={fields.length} move={(to) => move(i, to)} />
              <RemoveButton label={f.label} remove={() => remove(i)} />
            </div>
            <Ticks field={f} set={(part) => save(change(i, part))} />
          </li>
        ))}
      </ol>
      {fields.length < most && (ofRequests.length > 0 || own.length > 0) && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button variant="default" mt="sm" leftSection={<IconPlus size={16} aria-hidden />}>
              {t`Add field`}
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah={360} style={{ overflowY: "auto" }}>
            {ofRequests.length > 0 && <Menu.Label>{t`Standard fields`}</Menu.Label>}
            {ofRequests.map((key) => (
              <Menu.Item key={key} onClick={() => add(key)}>
                {nameOf(key, customFields)}
              </Menu.Item>
            ))}
            {own.length > 0 && <Menu.Label>{t`Custom fields`}</Menu.Label>}
            {own.map((f) => (
              <Menu.Item key={f.id} onClick={() => add(String(f.id))}>
                {f.name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </section>
  );
}

function RemoveButton({ label, remove }: { label: string; remove: () => void }) {
  return (
    <Tip label={t`Remove`}>
      <ActionIcon aria-label={t`Remove ${label}`} onClick={remove}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </Tip>
  );
}

/** Who sees it, and who must fill it in. */
function Ticks({ field: f, set }: { field: FormField; set: (part: Partial<FormField>) => void }) {
  if (f.key === "description")
    return (
      <Text size="sm" c="dimmed" mt={8}>
        {t`Required for everyone.`}
      </Text>
    );
  const forAll = f.audience === "all";
  return (
    <div className={classes.ticks}>
      <Checkbox size="xs" label={t`Hidden`} checked={f.is_hidden} onChange={(e) => set({ is_hidden: e.currentTarget.checked })} />
      <Checkbox size="xs" label={t`Responders only`} checked={!forAll} disabled={f.is_hidden} onChange={(e) => set({ audience: e.currentTarget.checked ? "responders" : "all" })} />
      <Checkbox
        size="xs"
        label={t`Required for requesters`}
        checked={f.required_by_non_responder}
        disabled={f.is_hidden || !forAll}
        onChange={(e) => set({ required_by_non_responder: e.currentTarget.checked })}
      />
      <Checkbox size="xs" label={t`Required for responders`} checked={f.required_by_responder} disabled={f.is_hidden} onChange={(e) => set({ required_by_responder: e.currentTarget.checked })} />
    </div>
  );
}
