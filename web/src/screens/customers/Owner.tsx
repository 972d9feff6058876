import { t } from "@lingui/core/macro";
import { TagsInput } from "@mantine/core";
import type { CustomerChange } from "../../data/customer";
import type { Customer } from "../../data/customers";
import { SavedMark, useDrawn } from "../../parts/Saved";
import classes from "./Customers.module.css";
import { PersonSelect } from "./PersonSelect";

export type Save = (change: CustomerChange) => Promise<unknown>;

/** Who the customer belongs to. */
export function OwnerField({ customer, save }: { customer: Customer; save: Save }) {
  const { saving, shown, set } = useDrawn({ field: "owner", value: customer.owner, save: (owner) => save({ owner }) });
  return (
    <div className={classes.field}>
      <PersonSelect label={t`Owner`} placeholder={t`Collection owner`} value={shown} error={saving.error} onChange={set} />
      <SavedMark state={saving.state} />
    </div>
  );
}

/** The customer’s email domains. What the server refuses stays in the field to be corrected. */
export function DomainsField({ customer, save }: { customer: Customer; save: Save }) {
  const { saving, shown, set } = useDrawn({ field: "domains", value: customer.domains, save: (domains) => save({ domains }), keepRefused: true });
  return (
    <div className={classes.field}>
      <TagsInput
        label={t`Domains`}
        description={t`People with these email domains belong to this customer.`}
        placeholder={shown.length === 0 ? t`globex.com, then press Enter` : ""}
        splitChars={[",", " "]}
        acceptValueOnBlur
        value={shown}
        error={saving.error}
        onChange={set}
      />
      <SavedMark state={saving.state} />
    </div>
  );
}
