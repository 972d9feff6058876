import { t } from "@lingui/core/macro";
import { Alert } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { customFieldsQuery } from "../../../data/customFields";
import { useMe } from "../../../data/me";
import { type TicketForm, ticketFormQuery } from "../../../data/ticketForms";
import { Failure, Loading } from "../../../parts/states";
import { dateAndTime } from "../../../parts/time";
import { SettingsColumn } from "../Column";
import { ForAdmins } from "../ForAdmins";
import { Up } from "../Up";
import { Builder } from "./Builder";
import { Preview } from "./Preview";

const route = getRouteApi("/frame/settings/forms/$id");

/** The form that the address names, or one that is to be made. */
export function Form() {
  const { id } = route.useParams();
  const me = useMe();
  const isNew = id === "new";
  const form = useQuery({ ...ticketFormQuery(Number(id)), enabled: !isNew });
  const fields = useQuery(customFieldsQuery("request"));
  if (isNew && me && me.member.role !== "admin") return <ForAdmins />;
  if (form.isError) return <Failure whole error={form.error} retry={() => void form.refetch()} />;
  if (fields.isError) return <Failure whole error={fields.error} retry={() => void fields.refetch()} />;
  if (!me || !fields.data || (!isNew && !form.data)) return <Loading />;
  if (form.data && (form.data.deleted_at || me.member.role !== "admin")) return <ShownForm form={form.data} />;
  return <Builder key={id} form={form.data ?? null} customFields={fields.data} />;
}

/** A form that cannot be changed: it was deleted, or whoever looks may not. */
function ShownForm({ form }: { form: TicketForm }) {
  const fields = useQuery(customFieldsQuery("request")).data ?? [];
  const time = form.deleted_at ? dateAndTime(form.deleted_at) : "";
  return (
    <SettingsColumn title={form.name} back={<Up page="forms" label={t`Ticket forms`} />}>
      {form.deleted_at && (
        <Alert variant="light" color="gray">
          {t`This form was deleted (${time}). Existing tickets stay as they are.`}
        </Alert>
      )}
      <Preview name={form.name} description={form.description ?? ""} fields={form.action_config.create.fields} customFields={fields} />
    </SettingsColumn>
  );
}
