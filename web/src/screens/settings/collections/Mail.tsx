import { t } from "@lingui/core/macro";
import { Button, Group, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { domainOf } from "../../../data/addresses";
import { type Collection, type EmailConfig, type EmailConfigChange, changeCollection } from "../../../data/collections";
import { useMe } from "../../../data/me";
import { CopyLine } from "../../../parts/Copy";
import { SavedMark, SavedSwitch, SavedText, useSaving } from "../../../parts/Saved";
import { SavedLines } from "../../../parts/SavedField";
import { Section } from "../Column";
import { Word } from "../Word";
import { htmlOf, isFormatted, textOf } from "../paragraphs";
import { MailRecords } from "./MailRecords";
import { MailTest } from "./MailTest";
import { Mailbox } from "./Mailbox";

/** The mail of a collection: its address, how mail comes in, and what goes out. */
export function Mail({ collection }: { collection: Collection }) {
  const config = collection.email_config;
  if (!config) return <Begin collection={collection} />;
  const save = (change: EmailConfigChange) => changeCollection(collection.id, { email_config: change });
  const domain = config.inbound_address === null ? null : domainOf(config.inbound_address);
  return (
    <>
      <Section title={t`Email address`} action={<Verified config={config} />}>
        <SavedText
          label={t`Address`}
          description={t`The address your customers write to. Mail to name+anything@ arrives here, too.`}
          field="email_config.address"
          maxLength={254}
          value={config.address}
          save={(address) => save({ address })}
        />
        {!config.verified && (
          <Text size="sm">
            {t`Send a test email. The address is verified when it comes back.`} {domain === null ? t`Until then, no mail is sent.` : t`Until then, replies are sent as no-reply@${domain}.`}
          </Text>
        )}
        <MailTest key={config.address} collection={collection} config={config} />
      </Section>
      <Incoming collection={collection} config={config} save={save} />
      <Outgoing config={config} save={save} />
      <MailRecords collection={collection} config={config} />
    </>
  );
}

function Verified({ config }: { config: EmailConfig }) {
  return config.verified ? <Word tone="good">{t`Verified`}</Word> : <Word tone="warn">{t`Not verified yet`}</Word>;
}

/** A collection without mail: it needs an address first. */
function Begin({ collection }: { collection: Collection }) {
  const [address, setAddress] = useState("");
  const saving = useSaving("email_config.address");
  return (
    <Section title={t`Email address`} about={t`Customers write to this address, and their emails become requests.`}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          void saving.run(() => changeCollection(collection.id, { email_config: { address: address.trim() } }));
        }}
      >
        <Group align="flex-start" gap="xs">
          <TextInput
            aria-label={t`Address`}
            placeholder="help@example.com"
            inputMode="email"
            autoComplete="off"
            maxLength={254}
            style={{ flex: 1, minWidth: 200 }}
            value={address}
            onChange={(e) => setAddress(e.currentTarget.value)}
            error={saving.error}
          />
          <Button type="submit" size="sm" disabled={address.trim() === ""} loading={saving.state === "saving"}>
            {t`Set up mail`}
          </Button>
          <SavedMark state={saving.state === "saving" ? "idle" : saving.state} />
        </Group>
      </form>
    </Section>
  );
}

type Part = { config: EmailConfig; save: (change: EmailConfigChange) => Promise<void> };

function Incoming({ collection, config, save }: Part & { collection: Collection }) {
  const { address } = config;
  return (
    <Section title={t`Incoming mail`}>
      {config.inbound_address === null ? (
        <Text>{t`This server has no mail domain, so mail cannot be forwarded to it and replies are not sent. Set FRONTDESK_MAIL_DOMAIN on the server. You can connect a mailbox without it.`}</Text>
      ) : (
        <>
          <CopyLine label={t`Forwarding address`} text={config.inbound_address} />
          <Text size="sm" c="dimmed">
            {t`If another provider, such as Google or Microsoft, handles mail for your domain, have it forward mail for ${address} to this address. Only your mail server needs to know it.`}
          </Text>
        </>
      )}
      <Mailbox collection={collection} config={config} />
      <SavedSwitch
        label={t`Send replies to people in Cc`}
        description={t`Everyone in To and Cc of an email gets the replies if its sender is verified. Otherwise they are only shown, and you can let them in.`}
        field="email_config.forward_cc"
        value={config.forward_cc}
        save={(forward_cc) => save({ forward_cc })}
      />
    </Section>
  );
}

const thanks = () => t`Thank you for your email. We have received it and will answer as soon as we can.`;

function Outgoing({ config, save }: Part) {
  const reply = config.auto_reply;
  const sends = useMe()?.sends_mail ?? true;
  return (
    <Section title={t`Outgoing mail`}>
      {!sends && <Text>{t`This server does not send mail. Set FRONTDESK_MAIL_RELAY on the server.`}</Text>}
      <SavedText label={t`Sender name`} description={t`Shown before the address.`} field="email_config.from_name" maxLength={200} value={config.from_name} save={(from_name) => save({ from_name })} />
      <HtmlLines
        label={t`Signature`}
        about={t`Added to the end of every email.`}
        field="email_config.signature_html"
        html={config.signature_html}
        save={(signature_html) => save({ signature_html })}
      />
      <SavedSwitch
        label={t`Reply to new requests automatically`}
        description={t`Each address gets at most one automatic reply a day.`}
        field="email_config.auto_reply.html"
        value={reply.enabled}
        save={(enabled) => save({ auto_reply: { enabled, ...(enabled && reply.html === "" && { html: htmlOf(thanks()) }) } })}
      />
      {reply.enabled && <HtmlLines label={t`Automatic reply`} field="email_config.auto_reply.html" html={reply.html} save={(html) => save({ auto_reply: { html } })} />}
    </Section>
  );
}

/** HTML that is written here as plain text. */
function HtmlLines({ label, about, field, html, save }: { label: string; about?: string; field: string; html: string; save: (html: string) => Promise<void> }) {
  const description = [about, isFormatted(html) && t`This text has formatting, such as bold or links. Editing it here removes the formatting.`].filter(Boolean).join(" ");
  return <SavedLines label={label} {...(description && { description })} field={field} maxLength={10_000} value={textOf(html)} save={(text) => save(text === "" ? "" : htmlOf(text))} />;
}
