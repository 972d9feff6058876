// Sets up a new sandbox workspace: two customer channels, one for the team, and the
// collection that turns messages into requests. Each step checks what exists, so an
// interrupted setup can be repeated.
import { t } from "@lingui/core/macro";
import { api, ask } from "../api/client";
import { queryClient } from "./client";
import { collectionsQuery } from "./collections";
import { type Sandbox, customersOf, domainOf, sandboxTokenQuery } from "./sandbox";
import { Slack, type SlackChannel, type SlackUser } from "./slack";

const triage = "support-triage";
// eslint-disable-next-line lingui/no-unlocalized-strings -- a name that the server keeps
const collectionName = "Customer channels";

/** A customer's channel in the workspace. */
type Company = { name: string; channel: string; domain: string; people: string[] };

/** The companies that the people of a new workspace are of. */
function companies(sandbox: Sandbox): Company[] {
  const byDomain = new Map<string, Company>();
  for (const u of customersOf(sandbox)) {
    const name = u.title?.split(", ").at(-1) ?? domainOf(u);
    const channel = name
      .toLowerCase()
      .replaceAll("&", "and")
      .replaceAll(/[^a-z0-9]+/g, "-");
    const c = byDomain.get(domainOf(u)) ?? { name, channel, domain: domainOf(u), people: [] };
    c.people.push(u.id);
    byDomain.set(c.domain, c);
  }
  return [...byDomain.values()];
}

/** Runs the whole setup. `say` is called with the current step. */
export async function furnish(sandbox: Sandbox, say: (doing: string) => void): Promise<void> {
  const owner = sandbox.users.find((u) => u.is_owner);
  if (!owner) throw new Error(t`The workspace has no owner.`);
  const slack = new Slack(owner.id, await queryClient.fetchQuery(sandboxTokenQuery(owner.id)));
  say(t`Creating channels`);
  const { members } = await slack.call<{ members: SlackUser[] }>("users.list");
  const bots = members.filter((m) => m.is_bot && !m.deleted).map((m) => m.id);
  const ours = sandbox.users.filter((u) => domainOf(u) === domainOf(owner)).map((u) => u.id);
  const all = companies(sandbox);
  const ids = new Map<string, string>();
  ids.set(triage, await channel(slack, triage, [...ours, ...bots]));
  for (const c of all) ids.set(c.channel, await channel(slack, c.channel, [...ours, ...c.people, ...bots]));
  say(t`Waiting for Frontdesk to see them`);
  await until(async () => {
    const { channels } = await ask(api.GET("/v1/rest/channels", { params: { query: { limit: 100 } } }));
    return [...ids.values()].every((id) => channels.some((c) => c.id === id));
  });
  say(t`Setting up the desk`);
  const collections = await queryClient.fetchQuery({ ...collectionsQuery, staleTime: 0 });
  const place =
    collections.find((p) => p.name === collectionName) ??
    (await ask(api.POST("/v1/rest/collections", { body: { name: collectionName, kind: "chat", triage_channel_id: ids.get(triage)!, config: { responders: [{ email_domain: domainOf(owner) }] } } })))
      .collection;
  const missing = all.filter((c) => !place.channels?.some((p) => p.id === ids.get(c.channel)));
  if (missing.length > 0)
    await ask(
      api.POST("/v1/rest/collections/{id}/channels", {
        params: { path: { id: place.id } },
        body: { channels: missing.map((c) => ({ id: ids.get(c.channel)!, customer: { type: "new" as const, name: c.name, domains: [c.domain] } })) },
      }),
    );
  await queryClient.invalidateQueries({ queryKey: collectionsQuery.queryKey });
  await queryClient.invalidateQueries({ queryKey: ["customers"] });
}

/** The channel with this name, with these people in it. */
async function channel(slack: Slack, name: string, people: string[]): Promise<string> {
  const list = () => slack.call<{ channels: SlackChannel[] }>("conversations.list", { types: "public_channel,private_channel", limit: "1000" });
  const there = (await list()).channels.find((c) => c.name === name);
  const id = there?.id ?? (await slack.call<{ channel: { id: string } }>("conversations.create", { name, is_private: "true" })).channel.id;
  const { members } = await slack.call<{ members: string[] }>("conversations.members", { channel: id, limit: "1000" });
  const others = people.filter((p) => !members.includes(p));
  if (others.length > 0) await slack.call("conversations.invite", { channel: id, users: others.join(",") });
  return id;
}

// Frontdesk learns of a channel a moment later, and there is no event for it.
const waits = [100, 200, 400, 800, 1000];
const patience = 60_000;

async function until(check: () => Promise<boolean>): Promise<void> {
  const begun = Date.now();
  for (let i = 0; !(await check()); i++) {
    if (Date.now() - begun > patience) throw new Error(t`Frontdesk does not see the new channels yet. Try again in a moment.`);
    await new Promise((resolve) => setTimeout(resolve, waits[Math.min(i, waits.length - 1)]));
  }
}
