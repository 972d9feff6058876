import { t } from "@lingui/core/macro";
import { Button, Group, Stack, Switch, Text, TextInput, Textarea, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Problem, sentence } from "../../../api/client";
import type { CustomField } from "../../../data/customFields";
import { type FormField, type TicketForm, changeTicketForm, makeTicketForm, removeTicketForm } from "../../../data/ticketForms";
import { Question } from "../../../parts/Question";
import { SavedMark, useInOrder, useSaving } from "../../../parts/Saved";
import { tell, tellProblem } from "../../../tell";
import { Up } from "../Up";
import settings from "../Settings.module.css";
import classes from "./Builder.module.css";
import { FormFields } from "./FormFields";
import { Preview } from "./Preview";
import { newField, systems } from "./words";

type Draft = { name: string; description: string; enabled: boolean; fields: FormField[] };

function draftOf(form: TicketForm | null, customFields: CustomField[]): Draft {
  if (form) return { name: form.name, description: form.description ?? "", enabled: form.enabled, fields: form.action_config.create.fields };
  return { name: "", description: "", enabled: true, fields: [{ ...newField("title", customFields), required_by_non_responder: true }] };
}

/** What a form asks for, with the form beside it as people see it. One that exists is saved as you go. */
export function Builder({ form, customFields }: { form: TicketForm | null; customFields: CustomField[] }) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => draftOf(form, customFields));
  const [asking, setAsking] = useState(false);
  const [making, setMaking] = useState(false);
  const [nameError, setNameError] = useState<string | null>(null);
  const saving = useSaving();
  const called = form?.name ?? "";
  const system = form && form.integration_type !== "native" ? systems[form.integration_type] : undefined;
  const inOrder = useInOrder();

  const draw = (part: Partial<Draft>) => setDraft((d) => ({ ...d, ...part }));
  const save = async (part: Partial<Draft>) => {
    draw(part);
    if (!form) return;
    const { fields, description, ...plain } = part;
    const body = { ...plain, ...(description !== undefined && { description: description.trim() || null }), ...(fields && { action_config: { create: { fields } } }) };
    let refused: unknown = null;
    const kept = await saving.run(() =>
      inOrder(() =>
        changeTicketForm(form.id, body).catch((e: unknown) => {
          refused = e;
          throw e;
        }),
      ),
    );
    if (!kept) tellProblem(refused, t`Your change was not saved.`);
  };
  const saveName = () => {
    const name = draft.name.trim();
    setNameError(name === "" ? t`A form needs a name.` : null);
    if (name !== "" && name !== form?.name) void save({ name });
  };
  const make = async () => {
    if (draft.name.trim() === "") {
      setNameError(t`A form needs a name.`);
      return;
    }
    setMaking(true);
    try {
      const made = await makeTicketForm({
        name: draft.name.trim(),
        ...(draft.description.trim() && { description: draft.description.trim() }),
        enabled: draft.enabled,
        action_config: { create: { fields: draft.fields } },
      });
      const { name } = made;
      tell(t`${name} created.`);
      await navigate({ to: "/settings/forms/$id", params: { id: String(made.id) }, replace: true });
    } catch (e) {
      if (e instanceof Problem && e.fields.name) setNameError(sentence(e));
      else tellProblem(e, t`The form was not created. Your work is still here.`);
    } finally {
      setMaking(false);
    }
  };
  return (
    <div className={classes.builder}>
      <div className={classes.work}>
        <Up page="forms" label={t`Ticket forms`} />
        <div className={settings.heading}>
          <Title order={1}>{form ? form.name : t`New ticket form`}</Title>
          <SavedMark state={saving.state} />
        </div>
        <Stack mt="lg" gap="lg">
          {system && <Text c="dimmed">{t`This form belongs to ${system} and does not create tickets in Frontdesk.`}</Text>}
          <TextInput
            label={t`Name`}
            placeholder={t`Something does not work`}
            maxLength={200}
            required
            withAsterisk={false}
            value={draft.name}
            error={nameError}
            onChange={(e) => draw({ name: e.currentTarget.value })}
            onBlur={() => form && saveName()}
            onKeyDown={(e) => e.key === "Enter" && form && saveName()}
          />
          <Textarea
            label={t`Description`}
            description={t`Shown above the form. Explain when to use it.`}
            maxLength={1000}
            autosize
            minRows={2}
            maxRows={6}
            value={draft.description}
            onChange={(e) => draw({ description: e.currentTarget.value })}
            onBlur={() => draft.description.trim() !== (form?.description ?? "") && void save({ description: draft.description })}
          />
          <Switch label={t`Enabled`} description={t`When off, it cannot be used to create tickets.`} checked={draft.enabled} onChange={(e) => void save({ enabled: e.currentTarget.checked })} />
          <FormFields fields={draft.fields} customFields={customFields} draw={(fields) => draw({ fields })} save={(fields) => void save({ fields })} />
          <Group>
            {form ? (
              <Button variant="default" color="red" c="var(--bad)" onClick={() => setAsking(true)}>
                {t`Delete form`}
              </Button>
            ) : (
              <>
                <Button loading={making} onClick={() => void make()}>
                  {t`Create form`}
                </Button>
                <Button variant="default" onClick={() => void navigate({ to: "/settings/$page", params: { page: "forms" } })}>
                  {t`Cancel`}
                </Button>
              </>
            )}
          </Group>
        </Stack>
      </div>
      <aside className={classes.beside} aria-label={t`Form preview`}>
        <Preview name={draft.name || t`New ticket form`} description={draft.description} fields={draft.fields} customFields={customFields} />
      </aside>
      {form && (
        <Question
          opened={asking}
          close={() => setAsking(false)}
          title={t`Delete ${called}?`}
          yes={t`Delete form`}
          run={async () => {
            await removeTicketForm(form.id);
            tell(t`${called} deleted.`);
            await navigate({ to: "/settings/$page", params: { page: "forms" } });
          }}
        >
          {t`It can no longer be used to create tickets. Existing tickets stay as they are. This cannot be undone. To stop using it for a while, turn it off instead.`}
        </Question>
      )}
    </div>
  );
}
