import { t } from "@lingui/core/macro";
import { Button, SegmentedControl, Text } from "@mantine/core";
import { IconForms, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type FieldOwner, customFieldsQuery, optionsOf } from "../../../data/customFields";
import { useIsAdmin } from "../../../data/me";
import { Empty, Failure, Loading } from "../../../parts/states";
import { SettingsColumn } from "../Column";
import { Row, Rows } from "../Rows";
import settings from "../Settings.module.css";
import { MakeField } from "./MakeField";
import { owners, types } from "./words";

const route = getRouteApi("/frame/settings/$page");

/** What the account has added to its requests and customers. */
export function Fields() {
  const of: FieldOwner = route.useSearch().of === "customers" ? "customer" : "request";
  const words = owners()[of];
  const fields = useQuery(customFieldsQuery(of));
  const isAdmin = useIsAdmin();
  const navigate = useNavigate();
  const [making, setMaking] = useState(false);
  const make = isAdmin && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t`New field`}
    </Button>
  );
  return (
    <SettingsColumn title={t`Custom fields`} about={t`Extra details to record for requests or customers. Ticket forms can ask for request fields.`} action={make}>
      <SegmentedControl
        aria-label={t`Fields for`}
        value={of}
        onChange={(o) => void navigate({ to: "/settings/$page", params: { page: "fields" }, search: o === "customer" ? { of: "customers" } : {}, replace: true })}
        data={Object.entries(owners()).map(([value, { label }]) => ({ value, label }))}
        maw={280}
      />
      {fields.isPending && <Loading shape="rows" rows={3} />}
      {fields.isError && <Failure error={fields.error} retry={() => void fields.refetch()} />}
      {fields.data?.length === 0 && (
        <Empty icon={IconForms} title={words.none} action={make}>
          {isAdmin ? words.why : t`An admin can create one.`}
        </Empty>
      )}
      {fields.data && fields.data.length > 0 && (
        <Rows label={words.fields}>
          {fields.data.map((f) => (
            <Row
              key={f.id}
              action={
                <Text size="sm" c="dimmed">
                  {types()[f.type].label}
                </Text>
              }
            >
              <Link to="/settings/fields/$id" params={{ id: String(f.id) }} className={settings.link}>
                {f.name}
              </Link>
              {f.description && <Text size="sm">{f.description}</Text>}
              {optionsOf(f).length > 0 && (
                <Text size="sm" c="dimmed" lineClamp={2}>
                  {optionsOf(f)
                    .map((o) => o.value)
                    .join(", ")}
                </Text>
              )}
            </Row>
          ))}
        </Rows>
      )}
      <MakeField opened={making} close={() => setMaking(false)} of={of} />
    </SettingsColumn>
  );
}
