// Tickets of a request: those of other systems that are linked to it, and forms
// that make new ones here.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { queryClient } from "./client";
import { everyPage } from "./people";

export type TicketForm = Schemas["TicketForm"];

/** The forms with which tickets can be made here. */
export const ticketFormsQuery = queryOptions({
  queryKey: ["ticket-forms", "enabled"],
  queryFn: () =>
    everyPage<TicketForm>(async (next_cursor) => {
      const { ticket_forms, response_metadata } = await ask(
        api.GET("/v1/rest/tickets/forms", { params: { query: { enabled: true, integration_type: "native", sort_order: "asc", limit: 100, ...(next_cursor && { next_cursor }) } } }),
      );
      return { items: ticket_forms.filter((f) => f.action_config.create.enabled), next: response_metadata.next_cursor };
    }),
  staleTime: 5 * 60_000,
});

const readRequestAgain = (id: number) => queryClient.invalidateQueries({ queryKey: ["request", id] });

export async function unlinkTicket(requestId: number, ticket: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/requests/{id}/tickets/{ticket}", { params: { path: { id: requestId, ticket } } }));
  await readRequestAgain(requestId);
}

export async function linkTicket(requestId: number, given: { integration: string; ticket_id: string; is_task: boolean }): Promise<void> {
  try {
    await ask(api.POST("/v1/rest/tickets", { body: { type: "link", data: { ...given, request_id: requestId } } }));
  } finally {
    await readRequestAgain(requestId);
  }
}

/** Makes a ticket with a form. It is a request of its own, and becomes a child of the one that it was made from. */
export async function createTicket(requestId: number, { form, description, fields }: { form: number; description: string; fields: Record<string, unknown> }): Promise<Schemas["Ticket"]> {
  const body = new FormData();
  body.set("type", "create");
  body.set("form_id", String(form));
  body.set("description", description);
  body.set("fields", JSON.stringify(fields));
  try {
    const made = await ask(api.POST("/v1/rest/tickets", { body: body as never, bodySerializer: () => body }));
    await ask(api.PATCH("/v1/rest/requests/{id}", { params: { path: { id: made.request.id } }, body: { parent_request: requestId } }));
    return made.ticket;
  } finally {
    await readRequestAgain(requestId);
  }
}

/** Sends a satisfaction survey to the requester. Returns the address of the survey page. */
export async function sendSurvey(requestId: number): Promise<string> {
  try {
    return (await ask(api.POST("/v1/rest/requests/{id}/survey", { params: { path: { id: requestId } } }))).survey.answer_url;
  } finally {
    void readRequestAgain(requestId);
  }
}
