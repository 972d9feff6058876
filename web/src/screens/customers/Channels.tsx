import { t } from "@lingui/core/macro";
import { MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { customerChannelsQuery } from "../../data/customer";
import type { Customer } from "../../data/customers";
import { AppLink } from "../../parts/AppLink";
import { SavedMark, useDrawn } from "../../parts/Saved";
import classes from "./Customers.module.css";
import type { Save } from "./Owner";

/** The chat channels that are this customer's; each leads to what was asked there. */
export function Channels({ customer, save, mayWrite }: { customer: Customer; save: Save; mayWrite: boolean }) {
  const channels = useQuery(customerChannelsQuery).data ?? [];
  const { saving, shown, set } = useDrawn({ field: "channel_ids", value: customer.channel_ids, save: (channel_ids) => save({ channel_ids }) });
  const name = (id: string) => `#${channels.find((c) => c.id === id)?.name ?? id}`;
  const choices = [...channels.filter((c) => !c.is_archived).map((c) => c.id), ...customer.channel_ids.filter((id) => !channels.some((c) => c.id === id && !c.is_archived))];
  return (
    <section aria-label={t`Channels`}>
      <h2 className={classes.blockTitle}>{t`Channels`}</h2>
      {shown.length === 0 ? (
        <p className={classes.faint}>{t`No channels yet.`}</p>
      ) : (
        <ul className={classes.list}>
          {shown.map((id) => (
            <li key={id} className={classes.person}>
              <AppLink href={`/requests?channel_id=${encodeURIComponent(id)}`} className={classes.name} title={t`Requests from this channel`}>
                {name(id)}
              </AppLink>
            </li>
          ))}
        </ul>
      )}
      {mayWrite && (
        <div className={classes.field}>
          <MultiSelect
            mt="xs"
            label={t`Edit channels`}
            searchable
            hidePickedOptions
            limit={100}
            placeholder={t`Add channel`}
            data={choices.map((id) => ({ value: id, label: name(id) }))}
            value={shown}
            error={saving.error}
            onChange={set}
          />
          <SavedMark state={saving.state} />
        </div>
      )}
    </section>
  );
}
