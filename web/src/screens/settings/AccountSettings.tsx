import { TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Account, changeAccount } from "../../data/account";
import { collectionsQuery } from "../../data/collections";
import { useMe } from "../../data/me";
import { SavedMark, SavedSelect, SavedSwitch, SavedText, useSaving } from "../../parts/Saved";
import { Section, SettingsColumn } from "./Column";
import classes from "./Settings.module.css";

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((z) => z !== "UTC")];

/** What holds for the whole account. */
export function AccountSettings() {
  const account = useMe()?.account;
  if (!account) return null;
  return (
    <SettingsColumn title="Account">
      <Section title="Name">
        <SavedText label="Name of the account" field="name" maxLength={200} value={account.name} save={(name) => changeAccount({ name })} />
        <SavedText
          label="Beginning of ticket keys"
          description={`Tickets are called ${account.key_prefix}-17. 1 to 10 capital letters and digits, starting with a letter; tickets that exist keep their keys.`}
          field="key_prefix"
          maxLength={10}
          value={account.key_prefix}
          save={(key_prefix) => changeAccount({ key_prefix: key_prefix.toUpperCase() })}
        />
      </Section>
      <Section title="Time">
        <SavedSelect
          label="Time zone"
          description="Days of reports and working hours begin there."
          field="time_zone"
          searchable
          data={zones.includes(account.time_zone) ? zones : [account.time_zone, ...zones]}
          value={account.time_zone}
          save={(time_zone) => changeAccount({ time_zone: time_zone ?? "UTC" })}
        />
      </Section>
      <Section title="Requests">
        <SavedSwitch
          label="Requests may be put on hold"
          description="On hold, a request waits for somebody other than the customer, and its clocks stand still."
          field="on_hold_allowed"
          value={account.on_hold_allowed}
          save={(on_hold_allowed) => changeAccount({ on_hold_allowed })}
        />
        <Categories account={account} />
        <APICollection account={account} />
      </Section>
      <Section title="Address">
        {account.public_url ? (
          <span className={classes.fact}>
            People reach this desk at <b>{account.public_url}</b>. It is a setting of the server: FRONTDESK_URL.
          </span>
        ) : (
          <span className={classes.fact}>The operator of the server has not said where people reach it. Slack needs that: set FRONTDESK_URL.</span>
        )}
      </Section>
    </SettingsColumn>
  );
}

/** What requests are sorted into. */
function Categories({ account }: { account: Account }) {
  const saving = useSaving("categories");
  const [drawn, setDrawn] = useState<string[] | null>(null);
  return (
    <div className={classes.marked}>
      <TagsInput
        label="Categories"
        description="What requests are sorted into by themselves. Type a name and press Enter. One that you remove stays where it was given."
        error={saving.error}
        value={drawn ?? account.categories}
        onChange={(wanted) => {
          setDrawn(wanted);
          void saving.run(() => changeAccount({ categories: wanted })).then(() => setDrawn(null));
        }}
        maxTags={50}
        splitChars={[","]}
      />
      <SavedMark state={saving.state} />
    </div>
  );
}

/** Where requests go that programs make. */
function APICollection({ account }: { account: Account }) {
  const collections = useQuery(collectionsQuery).data?.filter((c) => c.kind === "api") ?? [];
  if (collections.length === 0) return null;
  return (
    <SavedSelect
      label="Collection for requests that are made through the API"
      field="api_collection_id"
      data={collections.map((c) => ({ value: String(c.id), label: c.name }))}
      value={account.api_collection_id === null ? null : String(account.api_collection_id)}
      save={(id) => changeAccount({ api_collection_id: Number(id) })}
    />
  );
}
