import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Collection, type CollectionChange, changeCollection } from "../../../data/collections";
import { teamsQuery } from "../../../data/people";
import { schedulesQuery } from "../../../data/schedules";
import { SavedSelect, SavedSwitch } from "../../../parts/Saved";
import { SavedField, SavedNumber } from "../../../parts/SavedField";
import { Section } from "../Column";
import { autoAssign, choices, notify } from "./words";

/** How requests are made, given to somebody, and measured. */
export function Ways({ collection }: { collection: Collection }) {
  const { config } = collection;
  const teams = useQuery(teamsQuery).data ?? [];
  const schedules = useQuery(schedulesQuery).data ?? [];
  const save = (config: NonNullable<CollectionChange["config"]>) => changeCollection(collection.id, { config });
  return (
    <Section title={t`Request handling`}>
      <SavedSelect
        label={t`Assign new requests to`}
        field="config.auto_assign"
        data={choices(autoAssign())}
        value={config.auto_assign}
        save={(v) => save({ auto_assign: v as typeof config.auto_assign })}
      />
      {config.auto_assign === "round_robin" && (
        <SavedField field="config.assign_team_id" value={config.assign_team_id} save={(assign_team_id) => save({ assign_team_id })}>
          {({ value, set, error }) => (
            <Select
              label={t`Rotate among`}
              placeholder={t`All responders`}
              clearable
              data={teams.map(({ id, name }) => ({ value: String(id), label: t`Team ${name}` }))}
              value={value === null ? null : String(value)}
              onChange={(id) => set(id === null ? null : Number(id))}
              error={error}
            />
          )}
        </SavedField>
      )}
      {collection.kind === "chat" && (
        <SavedNumber
          label={t`Group messages within (minutes)`}
          description={t`Messages that someone writes within this time become one request. With 0, every message is its own request.`}
          field="config.grouping_minutes"
          min={0}
          max={1440}
          value={config.grouping_minutes}
          save={(grouping_minutes) => save({ grouping_minutes })}
        />
      )}
      {collection.kind === "chat" && <SavedSwitch label={t`Create requests from bot messages`} field="config.allow_bots" value={config.allow_bots} save={(allow_bots) => save({ allow_bots })} />}
      {collection.kind !== "chat" && (
        <SavedSelect label={t`Notify responders`} field="config.notify" data={choices(notify())} value={config.notify} save={(v) => save({ notify: v as typeof config.notify })} />
      )}
      <SavedField field="config.schedule_id" value={config.schedule_id ?? null} save={(schedule_id) => save({ schedule_id })}>
        {({ value, set, error }) => (
          <Select
            label={t`Working hours`}
            description={
              <Trans>
                SLA timers run during these hours, unless an{" "}
                <Anchor component={Link} to="/settings/sla" inherit underline="always">
                  SLA policy
                </Anchor>{" "}
                has its own schedule.
              </Trans>
            }
            placeholder="24/7"
            clearable
            data={schedules.map((s) => ({ value: String(s.id), label: s.name }))}
            value={value === null ? null : String(value)}
            onChange={(s) => set(s === null ? null : Number(s))}
            error={error}
          />
        )}
      </SavedField>
    </Section>
  );
}
