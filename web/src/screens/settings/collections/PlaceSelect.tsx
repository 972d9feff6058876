import { t } from "@lingui/core/macro";
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { channelsQuery } from "../../../data/channels";
import { SavedField } from "../../../parts/SavedField";

/** A channel that serves the collection, or none. */
export function PlaceSelect({ label, description, field, value, save }: { label: string; description: string; field: string; value: string | null; save: (id: string | null) => Promise<unknown> }) {
  const channels = useQuery(channelsQuery).data ?? [];
  // One where requests are made cannot serve for something else; the one that is set is shown whatever it is.
  const data = channels.filter((c) => c.id === value || (!c.is_archived && c.status === "inactive")).map((c) => ({ value: c.id, label: `#${c.name}` }));
  if (value !== null && !data.some((d) => d.value === value)) data.unshift({ value, label: value });
  return (
    <SavedField field={field} value={value} save={save}>
      {({ value, set, error }) => (
        <Select
          label={label}
          description={description}
          placeholder={t({ message: "None", context: "channel" })}
          searchable
          clearable
          data={data}
          value={value}
          onChange={set}
          error={error}
          nothingFoundMessage={t`No channel found`}
          limit={200}
        />
      )}
    </SavedField>
  );
}
