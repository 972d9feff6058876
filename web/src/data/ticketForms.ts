// The forms that tickets are made with.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { queryClient } from "./client";
import { everyPage } from "./people";

export type TicketForm = Schemas["TicketForm"];
export type FormField = Schemas["FormField"];

/** All of them, also those that are switched off and those of other ticket systems. */
export const allFormsQuery = queryOptions({
  queryKey: ["ticket-forms", "all"],
  queryFn: () =>
    everyPage<TicketForm>(async (next_cursor) => {
      const { ticket_forms, response_metadata } = await ask(api.GET("/v1/rest/tickets/forms", { params: { query: { limit: 100, sort_order: "asc", ...(next_cursor && { next_cursor }) } } }));
      return { items: ticket_forms, next: response_metadata.next_cursor };
    }),
});

/** One of them; one that was deleted says when. */
export const ticketFormQuery = (id: number) =>
  queryOptions({
    queryKey: ["ticket-forms", id],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/tickets/forms/{id}", { params: { path: { id } }, signal }))).ticket_form,
  });

function keep(form: TicketForm) {
  queryClient.setQueryData(ticketFormQuery(form.id).queryKey, form);
  void queryClient.invalidateQueries({ queryKey: ["ticket-forms"], predicate: (q) => q.queryKey[1] !== form.id });
}

export async function makeTicketForm(body: Schemas["NewTicketForm"]): Promise<TicketForm> {
  const { ticket_form } = await ask(api.POST("/v1/rest/tickets/forms", { body }));
  keep(ticket_form);
  return ticket_form;
}

export async function changeTicketForm(id: number, body: Schemas["TicketFormChange"]): Promise<void> {
  keep((await ask(api.PATCH("/v1/rest/tickets/forms/{id}", { params: { path: { id } }, body }))).ticket_form);
}

export async function removeTicketForm(id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/tickets/forms/{id}", { params: { path: { id } } }));
  // Whoever still has its page open is not shown it as deleted before they have left.
  void queryClient.invalidateQueries({ queryKey: ["ticket-forms"], predicate: (q) => q.queryKey[1] !== id });
  void queryClient.invalidateQueries({ queryKey: ticketFormQuery(id).queryKey, refetchType: "none" });
}
