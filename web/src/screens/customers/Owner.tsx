import { TagsInput } from "@mantine/core";
import { useState } from "react";
import type { CustomerChange } from "../../data/customer";
import type { Customer } from "../../data/customers";
import { SavedMark, useSaving } from "../../parts/Saved";
import classes from "./Customers.module.css";
import { PersonSelect } from "./PersonSelect";

export type Save = (change: CustomerChange) => Promise<unknown>;

/** Who the customer belongs to. */
export function OwnerField({ customer, save }: { customer: Customer; save: Save }) {
  const saving = useSaving("owner");
  const [drawn, setDrawn] = useState<{ owner: string | null } | null>(null);
  return (
    <div className={classes.field}>
      <PersonSelect
        label="Owner"
        placeholder="Collection owner"
        value={drawn ? drawn.owner : customer.owner}
        error={saving.error}
        onChange={(owner) => {
          setDrawn({ owner });
          void saving.run(() => save({ owner })).then(() => setDrawn(null));
        }}
      />
      <SavedMark state={saving.state} />
    </div>
  );
}

/** The domains of its mail addresses. What the server refuses stays there to be mended. */
export function DomainsField({ customer, save }: { customer: Customer; save: Save }) {
  const saving = useSaving("domains");
  const [drawn, setDrawn] = useState<string[] | null>(null);
  return (
    <div className={classes.field}>
      <TagsInput
        label="Domains"
        description="People with these email domains belong to this customer."
        placeholder={(drawn ?? customer.domains).length === 0 ? "globex.com, then Enter" : ""}
        splitChars={[",", " "]}
        acceptValueOnBlur
        value={drawn ?? customer.domains}
        error={saving.error}
        onChange={(domains) => {
          setDrawn(domains);
          void saving.run(() => save({ domains })).then((kept) => kept && setDrawn(null));
        }}
      />
      <SavedMark state={saving.state} />
    </div>
  );
}
