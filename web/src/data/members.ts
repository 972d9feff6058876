// The people who work with the account, and what each may do.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { queryClient } from "./client";
import { follow } from "./live";
import { meQuery } from "./me";
import { everyPage } from "./people";

export type Member = Schemas["Member"];

export const membersQuery = queryOptions({
  queryKey: ["members"],
  queryFn: () =>
    everyPage<Member>(async (next_cursor) => {
      const { members, response_metadata } = await ask(api.GET("/v1/rest/members", { params: { query: { limit: 100, sort_order: "asc", ...(next_cursor && { next_cursor }) } } }));
      return { items: members, next: response_metadata.next_cursor };
    }),
  staleTime: 5 * 60_000,
});

/** Keeps a member as the server said, unless it has said something newer: an event may come after the answer to a later change. */
function put(member: Member) {
  const known = queryClient.getQueryData(membersQuery.queryKey)?.find((m) => m.id === member.id);
  if (known && known.updated_at > member.updated_at) return;
  queryClient.setQueryData(membersQuery.queryKey, (all) => all && [...all.filter((m) => m.id !== member.id), member].sort((a, b) => a.id - b.id));
  queryClient.setQueryData(meQuery.queryKey, (me) => (me && me.member.id === member.id ? { ...me, member: { ...me.member, ...member } } : me));
}

function drop(id: number) {
  queryClient.setQueryData(membersQuery.queryKey, (all) => all?.filter((m) => m.id !== id));
}

export async function addMember(body: Schemas["NewMember"]): Promise<Member> {
  const { member } = await ask(api.POST("/v1/rest/members", { body }));
  put(member);
  return member;
}

export async function changeMember(id: number, body: Schemas["MemberChange"]): Promise<void> {
  put((await ask(api.PATCH("/v1/rest/members/{id}", { params: { path: { id } }, body }))).member);
}

export async function removeMember(id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/members/{id}", { params: { path: { id } } }));
  drop(id);
}

/** A link with which somebody sets their password. Earlier links stop working. */
export async function inviteMember(id: number) {
  return (await ask(api.POST("/v1/rest/members/{id}/invitation", { params: { path: { id } } }))).invitation;
}

follow((events) => {
  for (const e of events) {
    if (e.type === "member.created" || e.type === "member.updated") put(e.data.member);
    if (e.type === "member.deleted") drop(e.data.member.id);
  }
});
