import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Account, changeAccount } from "../../data/account";
import { collectionsQuery } from "../../data/collections";
import { useMe } from "../../data/me";
import { SavedMark, SavedSelect, SavedSwitch, SavedText, useDrawn } from "../../parts/Saved";
import { Section, SettingsColumn } from "./Column";
import classes from "./Settings.module.css";

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((z) => z !== "UTC")];

/** What holds for the whole account. */
export function AccountSettings() {
  const me = useMe();
  if (!me) return null;
  const { account } = me;
  const { key_prefix: prefix, public_url } = account;
  return (
    <SettingsColumn title={t`Account`}>
      <Section title={t`Name`}>
        <SavedText label={t`Account name`} field="name" maxLength={200} value={account.name} save={(name) => changeAccount({ name })} />
        <SavedText
          label={t`Ticket key prefix`}
          description={t`Tickets get keys such as ${prefix}-17. Use 1 to 10 capital letters and digits, starting with a letter. Existing tickets keep their keys.`}
          field="key_prefix"
          maxLength={10}
          value={prefix}
          save={(key_prefix) => changeAccount({ key_prefix: key_prefix.toUpperCase() })}
        />
      </Section>
      <Section title={t`Time`}>
        <SavedSelect
          label={t`Time zone`}
          description={t`Used for reports and working hours.`}
          field="time_zone"
          searchable
          data={zones.includes(account.time_zone) ? zones : [account.time_zone, ...zones]}
          value={account.time_zone}
          save={(time_zone) => changeAccount({ time_zone: time_zone ?? "UTC" })}
        />
      </Section>
      <Section title={t`Requests`}>
        <SavedSwitch
          label={t`Allow requests to be put on hold`}
          description={t`A request on hold is waiting for someone other than the customer. Its SLA timers are paused.`}
          field="on_hold_allowed"
          value={account.on_hold_allowed}
          save={(on_hold_allowed) => changeAccount({ on_hold_allowed })}
        />
        <Categories account={account} />
        <APICollection account={account} />
      </Section>
      <EmailCollection account={account} sendsMail={me.sends_mail} />
      <Section title={t`Server address`}>
        {public_url ? (
          <span className={classes.fact}>
            <Trans>
              This desk is available at <b>{public_url}</b>. Change it with the server setting FRONTDESK_URL.
            </Trans>
          </span>
        ) : (
          <span className={classes.fact}>{t`The server address is not set. Slack needs it: set FRONTDESK_URL on the server.`}</span>
        )}
      </Section>
    </SettingsColumn>
  );
}

/** What requests are sorted into. */
function Categories({ account }: { account: Account }) {
  const { saving, shown, set } = useDrawn({ field: "categories", value: account.categories, save: (categories) => changeAccount({ categories }) });
  return (
    <div className={classes.marked}>
      <TagsInput
        label={t`Categories`}
        description={t`Requests are sorted into these automatically. Type a name and press Enter. Removing a category does not change existing requests.`}
        error={saving.error}
        value={shown}
        onChange={set}
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
      label={t`Collection for requests created through the API`}
      field="api_collection_id"
      data={collections.map((c) => ({ value: String(c.id), label: c.name }))}
      value={account.api_collection_id === null ? null : String(account.api_collection_id)}
      save={(id) => changeAccount({ api_collection_id: Number(id) })}
    />
  );
}

const noMail = "none";

/** As whom answers are mailed in requests that did not come by mail. */
function EmailCollection({ account, sendsMail }: { account: Account; sendsMail: boolean }) {
  const collections = useQuery(collectionsQuery).data;
  const ready = collections?.filter((c) => c.email_config) ?? [];
  if (!collections) return null;
  return (
    <Section title={t`Mail`} about={t`People who write by email, through the API or with a form get replies by email.`}>
      {ready.length === 0 ? (
        <span className={classes.fact}>
          <Trans>
            Mail is not set up yet.{" "}
            <Anchor component={Link} to="/settings/collections" inherit underline="always">
              Create an email collection
            </Anchor>{" "}
            first.
          </Trans>
        </span>
      ) : (
        <SavedSelect
          label={t`Reply by email as`}
          description={t`Email collections reply from their own address. All other collections reply from this one.`}
          field="email_collection_id"
          data={[...ready.map((c) => ({ value: String(c.id), label: `${c.name} <${c.email_config!.address}>` })), { value: noMail, label: t`Send no email` }]}
          value={account.email_collection_id === null ? noMail : String(account.email_collection_id)}
          save={(id) => changeAccount({ email_collection_id: id === noMail ? null : Number(id) })}
        />
      )}
      {ready.length > 0 && !sendsMail && <span className={classes.fact}>{t`No email is sent until FRONTDESK_MAIL_DOMAIN and FRONTDESK_MAIL_RELAY are set on the server.`}</span>}
    </Section>
  );
}
