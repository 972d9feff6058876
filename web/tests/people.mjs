// The other people of a demo desk: colleagues who call the API as they would from their browser, and customers in the chat.
import assert from "node:assert/strict";
import { until } from "./browser.mjs";

/** Signs one of the demo's members in, who have no password yet. Returns a function that calls the API as them. */
export async function enter(desk, email) {
  const { members } = await desk.api("GET", "/members");
  const { invitation } = await desk.api("POST", `/members/${members.find((m) => m.email === email).id}/invitation`);
  const code = invitation.url.split(/[#?/=]/).at(-1);
  const headers = { Origin: desk.url, "Content-Type": "application/json" };
  const entered = await fetch(`${desk.url}/auth/welcome`, { method: "POST", body: JSON.stringify({ invitation: code, password: "a quiet afternoon" }), headers });
  assert.equal(entered.status, 204, await entered.text());
  headers.Cookie = entered.headers
    .getSetCookie()
    .map((c) => c.split(";")[0])
    .join("; ");
  return async (method, path, data) => {
    const answer = await fetch(`${desk.url}/v1/rest${path}`, { method, headers, ...(data && { body: JSON.stringify(data) }) });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
}

/** Asks in a channel of the sandbox, as somebody there. Returns the request that it becomes, and a function that answers in its thread. */
export async function askInChat(desk, email, channelName, text) {
  const { sandbox } = await desk.api("GET", "/sandbox");
  const user = sandbox.users.find((u) => u.email === email);
  const { token } = await desk.api("POST", "/sandbox/token", { user_id: user.id });
  const { collections } = await desk.api("GET", "/collections?include=channels");
  const channel = collections.flatMap((c) => c.channels).find((c) => c.name === channelName).id;
  const says = async (args) => {
    const body = new URLSearchParams({ channel, ...args });
    const said = await (await fetch(`${desk.url}/sandbox/api/chat.postMessage`, { method: "POST", headers: { Authorization: `Bearer ${token.secret}` }, body })).json();
    assert.ok(said.ok, JSON.stringify(said));
    return said.ts;
  };
  const ts = await says({ text });
  const id = await until("it is a request", async () => (await desk.api("GET", "/requests?state=open&limit=5")).requests.find((r) => r.title.startsWith(text.slice(0, 20)))?.id);
  return { id, answers: (text) => says({ thread_ts: ts, text }) };
}
