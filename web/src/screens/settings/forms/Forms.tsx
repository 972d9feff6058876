import { t } from "@lingui/core/macro";
import { Button, Text } from "@mantine/core";
import { IconPlus, IconTicket } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { customFieldsQuery } from "../../../data/customFields";
import { useIsAdmin } from "../../../data/me";
import { allFormsQuery } from "../../../data/ticketForms";
import { Empty, Failure, Loading } from "../../../parts/states";
import { SettingsColumn } from "../Column";
import { Row, Rows } from "../Rows";
import settings from "../Settings.module.css";
import { Word } from "../Word";
import { systems } from "./words";

/** The forms that tickets are made with. */
export function Forms() {
  const forms = useQuery(allFormsQuery);
  useQuery(customFieldsQuery("request")); // a form that is opened next asks for them
  const isAdmin = useIsAdmin();
  const make = isAdmin && (
    <Button component={Link} to="/settings/forms/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {t`New form`}
    </Button>
  );
  return (
    <SettingsColumn title={t`Ticket forms`} about={t`A form defines what people are asked when they create a ticket.`} action={make}>
      {forms.isPending && <Loading shape="rows" rows={3} />}
      {forms.isError && <Failure error={forms.error} retry={() => void forms.refetch()} />}
      {forms.data?.length === 0 && (
        <Empty icon={IconTicket} title={t`No ticket forms yet`} action={make}>
          {isAdmin ? t`Create one for questions that always need the same details.` : t`An admin can create one.`}
        </Empty>
      )}
      {forms.data && forms.data.length > 0 && (
        <Rows label={t`Ticket forms`}>
          {forms.data.map((f) => {
            const asked = f.action_config.create.fields
              .filter((x) => !x.is_hidden)
              .map((x) => x.label)
              .join(", ");
            return (
              <Row
                key={f.id}
                action={
                  <>
                    {f.integration_type !== "native" && (
                      <Text size="sm" c="dimmed">
                        {systems[f.integration_type]}
                      </Text>
                    )}
                    <Word tone={f.enabled ? "good" : "plain"}>{f.enabled ? t`Enabled` : t`Off`}</Word>
                  </>
                }
              >
                <Link to="/settings/forms/$id" params={{ id: String(f.id) }} className={settings.link}>
                  {f.name}
                </Link>
                {f.description && <Text size="sm">{f.description}</Text>}
                <Text size="sm" c="dimmed" lineClamp={2}>
                  {asked === "" ? t`Asks only for a description` : t`Asks for ${asked}`}
                </Text>
              </Row>
            );
          })}
        </Rows>
      )}
    </SettingsColumn>
  );
}
