// Mail: who takes part in a request by mail, the mail of a message as a whole, and what
// can be done where it went wrong.
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { sameAddress } from "./addresses";
import { type Message, type Request, requestQuery } from "./requests";

export type MessageEmail = NonNullable<Message["email"]>;
export type Participant = Schemas["Participant"];

/** Who takes part in a request by mail: the requester first, then those in Cc. Those who were removed are listed, too. */
export const participantsQuery = (requestId: number) =>
  queryOptions({
    queryKey: ["participants", requestId],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/requests/{id}/participants", { params: { path: { id: requestId } }, signal }))).participants,
  });

/** The mail of a message with everything that the conversation folds away. */
export const wholeMailQuery = (messageId: number) =>
  queryOptions({
    queryKey: ["mail", messageId],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/messages/{id}/email", { params: { path: { id: messageId } }, signal }))).email,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Where a mail can be downloaded as it came. */
export const mailSource = (messageId: number) => `/v1/rest/messages/${messageId}/email/source`;

/** Draws one participant as they are about to be. Returns a function that reverts it. */
function drawParticipant(client: QueryClient, requestId: number, one: Participant): () => void {
  const { queryKey } = participantsQuery(requestId);
  const before = client.getQueryData(queryKey);
  client.setQueryData(queryKey, (all) => {
    if (!all) return all;
    return all.some((p) => sameAddress(p.email, one.email)) ? all.map((p) => (sameAddress(p.email, one.email) ? { ...p, status: one.status } : p)) : [...all, one];
  });
  return () => client.setQueryData(queryKey, before);
}

async function changeParticipant(client: QueryClient, requestId: number, one: Participant, call: () => Promise<unknown>) {
  const { queryKey } = participantsQuery(requestId);
  await client.cancelQueries({ queryKey });
  const takeBack = drawParticipant(client, requestId, one);
  try {
    await call();
  } catch (error) {
    takeBack();
    throw error;
  } finally {
    void client.invalidateQueries({ queryKey });
  }
}

/** Lets somebody take part: they get later answers. */
export function addParticipant(client: QueryClient, requestId: number, email: string, name: string | null = null): Promise<void> {
  return changeParticipant(client, requestId, { email, name, role: "cc", status: "active" }, () =>
    ask(api.POST("/v1/rest/requests/{id}/participants", { params: { path: { id: requestId } }, body: { email, ...(name && { name }) } })),
  );
}

/** Removes somebody. They stay out when they are in Cc of a later mail. */
export function removeParticipant(client: QueryClient, requestId: number, of: Participant): Promise<void> {
  return changeParticipant(client, requestId, { ...of, status: "removed" }, () =>
    ask(api.DELETE("/v1/rest/requests/{id}/participants/{email}", { params: { path: { id: requestId, email: of.email } } })),
  );
}

/** Sends the copies of a mail again that failed, or that were perhaps sent. */
export async function sendMailAgain(client: QueryClient, requestId: number, messageId: number): Promise<void> {
  await ask(api.POST("/v1/rest/messages/{id}/email/retry", { params: { path: { id: messageId } } }));
  // The copies wait from now on; the stream says what becomes of them.
  client.setQueryData<Request>(requestQuery(requestId).queryKey, (r) => {
    const messages = r?.messages?.map((m) => (m.id === messageId && m.email ? { ...m, email: waiting(m.email) } : m));
    return r && messages ? { ...r, messages } : r;
  });
  void client.invalidateQueries({ queryKey: requestQuery(requestId).queryKey });
}

function waiting(email: MessageEmail): MessageEmail {
  const recipients = email.recipients.map((r) => (r.status === "sent" ? r : { ...r, status: "waiting" as const, error: null }));
  return { ...email, status: "waiting", error: null, recipients };
}

/** Takes over a mail of which nothing shows who wrote it. With `participant` its sender takes part from now on. */
export async function acceptMail(client: QueryClient, requestId: number, messageId: number, participant: boolean): Promise<void> {
  await ask(api.POST("/v1/rest/messages/{id}/email/accept", { params: { path: { id: messageId } }, body: { participant } }));
  await Promise.all(
    [
      ["request", requestId],
      ["participants", requestId],
      ["history", requestId],
      ["sla", requestId],
    ].map((queryKey) => client.invalidateQueries({ queryKey })),
  );
}
