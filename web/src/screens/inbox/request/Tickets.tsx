import { t } from "@lingui/core/macro";
import { ActionIcon, Checkbox, Menu, Select, Text, TextInput } from "@mantine/core";
import { IconExternalLink, IconPlus, IconUnlink } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type TicketForm, linkTicket, ticketFormsQuery, unlinkTicket } from "../../../data/tickets";
import type { Request } from "../../../data/requests";
import { Dialog } from "../../../parts/Dialog";
import { DialogForm } from "../../../parts/DialogForm";
import { Question } from "../../../parts/Question";
import { tell } from "../../../tell";
import classes from "./Panel.module.css";
import { TicketDialog } from "./TicketDialog";
import { Part, type PartProps } from "./rows";

type Ticket = Request["tickets"][number];

/* eslint-disable lingui/no-unlocalized-strings -- names of products */
const systems: Record<Ticket["type"], string> = {
  native: "Frontdesk",
  zendesk: "Zendesk",
  freshdesk: "Freshdesk",
  intercom: "Intercom",
  jira: "Jira",
  jsm: "Jira Service Management",
  github: "GitHub",
  linear: "Linear",
  hubspot: "HubSpot",
  salesforce: "Salesforce",
};
/* eslint-enable lingui/no-unlocalized-strings */

/** The request's own ticket and those of other systems. */
export function Tickets({ request, mayChange }: PartProps) {
  const forms = useQuery({ ...ticketFormsQuery, enabled: mayChange }).data ?? [];
  const [asked, setAsked] = useState<Ticket | null>(null);
  const [linking, setLinking] = useState(false);
  const [form, setForm] = useState<TicketForm | null>(null);
  const key = asked?.key ?? "";
  const add = mayChange && (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <ActionIcon size="sm" aria-label={t`Add ticket`}>
          <IconPlus size={14} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => setLinking(true)}>{t`Link a ticket from another system`}</Menu.Item>
        {forms.length > 0 && <Menu.Label>{t`Create with a form`}</Menu.Label>}
        {forms.map((f) => (
          <Menu.Item key={f.id} onClick={() => setForm(f)}>
            {f.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
  return (
    <Part title={t`Tickets`} action={add}>
      {request.tickets.length === 0 && (
        <Text c="dimmed" size="sm">
          {t`None`}
        </Text>
      )}
      <ul className={classes.plainList}>
        {request.tickets.map((ticket) => (
          <li key={`${ticket.type} ${ticket.id}`} className={classes.listed}>
            <span>
              {ticket.type === "native" || ticket.url === null ? (
                ticket.key
              ) : (
                <a className={classes.link} href={ticket.url} target="_blank" rel="noopener noreferrer">
                  {ticket.key} <IconExternalLink size={12} aria-hidden />
                </a>
              )}{" "}
              <span className={classes.faint}>{systems[ticket.type]}</span>
            </span>
            {ticket.type !== "native" && mayChange && (
              <ActionIcon size="sm" aria-label={unlink(ticket)} onClick={() => setAsked(ticket)}>
                <IconUnlink size={14} aria-hidden />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
      <Question opened={asked !== null} close={() => setAsked(null)} title={t`Unlink ${key}?`} yes={t`Unlink`} run={() => unlinkTicket(request.id, asked!.id)}>
        {t`The ticket and its messages stay on both sides. New comments and changes are no longer synced.`}
      </Question>
      <LinkDialog request={request} opened={linking} close={() => setLinking(false)} />
      <TicketDialog request={request} form={form} close={() => setForm(null)} />
    </Part>
  );
}

function unlink({ key }: Ticket): string {
  return t`Unlink ${key}`;
}

function LinkDialog({ request, opened, close }: { request: Request; opened: boolean; close: () => void }) {
  return (
    <Dialog opened={opened} onClose={close} title={t`Link a ticket from another system`}>
      <LinkForm request={request} close={close} />
    </Dialog>
  );
}

function LinkForm({ request, close }: { request: Request; close: () => void }) {
  const [integration, setIntegration] = useState("zendesk");
  const [ticket, setTicket] = useState("");
  const [task, setTask] = useState(false);
  const done = () => {
    tell(t`Ticket linked.`);
    close();
  };
  return (
    <DialogForm
      send={() => linkTicket(request.id, { integration, ticket_id: ticket.trim(), is_task: task })}
      done={done}
      close={close}
      yes={t({ message: "Link", context: "verb" })}
      ready={ticket.trim() !== ""}
    >
      {(wrong) => (
        <>
          <Select
            label={t({ message: "System", context: "ticket" })}
            allowDeselect={false}
            value={integration}
            onChange={(v) => v && setIntegration(v)}
            data={[
              { value: "zendesk", label: "Zendesk" },
              { value: "linear", label: "Linear" },
            ]}
            error={wrong("data.integration")}
          />
          <TextInput
            label={t`Ticket`}
            description={t`Its number or key, such as #4711 or ENG-17`}
            data-autofocus
            maxLength={200}
            required
            value={ticket}
            onChange={(e) => setTicket(e.currentTarget.value)}
            error={wrong("data.ticket_id")}
          />
          <Checkbox
            label={t`Link as a task and keep working on the request here`}
            description={t`Otherwise the request is handed over and put on hold.`}
            checked={task}
            onChange={(e) => setTask(e.currentTarget.checked)}
          />
        </>
      )}
    </DialogForm>
  );
}
