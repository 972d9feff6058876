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
  return (
    <>
      <Section title="Email address" action={<Verified config={config} />}>
        <SavedText
          label="Address"
          description="What customers write to. Mail to the same address with + and more before the @ comes here, too."
          field="email_config.address"
          maxLength={254}
          value={config.address}
          save={(address) => save({ address })}
        />
        {!config.verified && (
          <Text size="sm">
            Send a test mail: when it comes back, the address is verified.{" "}
            {config.inbound_address === null ? "Until then, no mail is sent." : `Until then, answers are sent as no-reply@${domainOf(config.inbound_address)}.`}
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
  return config.verified ? <Word tone="good">Verified</Word> : <Word tone="warn">Not verified yet</Word>;
}

/** A collection without mail: it needs an address first. */
function Begin({ collection }: { collection: Collection }) {
  const [address, setAddress] = useState("");
  const saving = useSaving("email_config.address");
  return (
    <Section title="Email address" about="Customers write to this address, and their mails become requests.">
      <form
        onSubmit={(e) => {
          e.preventDefault();
          void saving.run(() => changeCollection(collection.id, { email_config: { address: address.trim() } }));
        }}
      >
        <Group align="flex-start" gap="xs">
          <TextInput
            aria-label="Address"
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
            Set up mail
          </Button>
          <SavedMark state={saving.state === "saving" ? "idle" : saving.state} />
        </Group>
      </form>
    </Section>
  );
}

type Part = { config: EmailConfig; save: (change: EmailConfigChange) => Promise<void> };

function Incoming({ collection, config, save }: Part & { collection: Collection }) {
  return (
    <Section title="Incoming mail">
      {config.inbound_address === null ? (
        <Text>This server has no mail domain, so mail cannot be forwarded to it, and answers are not sent. Set FRONTDESK_MAIL_DOMAIN on the server. A mailbox can be read without it.</Text>
      ) : (
        <>
          <CopyLine label="Forwarding address" text={config.inbound_address} />
          <Text size="sm" c="dimmed">
            If the mail of your domain is handled elsewhere, such as by Google or Microsoft, let it forward mail for {config.address} to this address. Only your mail server needs to know it.
          </Text>
        </>
      )}
      <Mailbox collection={collection} config={config} />
      <SavedSwitch
        label="Send answers to people in Cc"
        description="If a sender can be trusted, everybody in To and Cc of their mail gets the answers. Otherwise they are only shown, and you can let them in."
        field="email_config.forward_cc"
        value={config.forward_cc}
        save={(forward_cc) => save({ forward_cc })}
      />
    </Section>
  );
}

const thanks = "Thank you for your mail. We have received it and will answer as soon as we can.";

function Outgoing({ config, save }: Part) {
  const reply = config.auto_reply;
  const sends = useMe()?.sends_mail ?? true;
  return (
    <Section title="Outgoing mail">
      {!sends && <Text>This server sends no mail. Set FRONTDESK_MAIL_RELAY on the server.</Text>}
      <SavedText label="Sender name" description="Shown before the address." field="email_config.from_name" maxLength={200} value={config.from_name} save={(from_name) => save({ from_name })} />
      <HtmlLines label="Signature" about="Stands below every mail." field="email_config.signature_html" html={config.signature_html} save={(signature_html) => save({ signature_html })} />
      <SavedSwitch
        label="Answer new requests automatically"
        description="Each address gets at most one automatic answer a day."
        field="email_config.auto_reply.html"
        value={reply.enabled}
        save={(enabled) => save({ auto_reply: { enabled, ...(enabled && reply.html === "" && { html: htmlOf(thanks) }) } })}
      />
      {reply.enabled && <HtmlLines label="Automatic answer" field="email_config.auto_reply.html" html={reply.html} save={(html) => save({ auto_reply: { html } })} />}
    </Section>
  );
}

/** HTML that is written here as plain text. */
function HtmlLines({ label, about, field, html, save }: { label: string; about?: string; field: string; html: string; save: (html: string) => Promise<void> }) {
  const description = [about, isFormatted(html) && "This text has formatting, such as bold or links. Editing it here removes the formatting."].filter(Boolean).join(" ");
  return <SavedLines label={label} {...(description && { description })} field={field} maxLength={10_000} value={textOf(html)} save={(text) => save(text === "" ? "" : htmlOf(text))} />;
}
