// The filters of the inbox: the address bar, the API and saved views say the same, and the browser judges a request as the server does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sources } from "./source.mjs";

const [filters, { settled }, { fits, withinLoaded }, { addDays, afterOf, beforeOf, endDay, firstDay }] = await sources([
  "screens/inbox/filters.ts",
  "screens/inbox/triage.ts",
  "screens/inbox/fits.ts",
  "parts/days.ts",
]);
const { fromAddress, fromViewQuery, same, shown, toAddress, toQuery, toViewQuery, unsolved, valuesOf, withValues } = filters;

const unsolvedStates = ["open", "in_progress", "pending", "on_hold"];

/** Random filters, with the characters that separate and escape others. The same seed gives the same filters. */
function* randomFilters(count) {
  let seed = 1;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  const words = ["a", "a,b", "100%", "%2C", "%252C", "x y", "ü", "&=#", "<b>", "none", "me"];
  const one = (list) => list[random(list.length)];
  const choices = {
    state: [unsolved, "none", "open", "solved,closed"],
    priority: ["urgent", "high,low"],
    assignee_id: ["me", "none", "U1,U2"],
    team_id: ["7", "none"],
    customer_id: ["3,none"],
    collection_id: ["4"],
    channel_id: ["C1"],
    author_emails: ["ada@globex.test"],
    unread: ["true"],
    following: ["true"],
    snoozed: ["true", "back"],
    after: ["2026-05-13T10:00:00Z"],
    before: ["2026-06-13T10:00:00Z"],
    filter_by: ["updated_at"],
    sort_order: ["asc"],
    sort: ["next_due", "priority"],
    sla: ["breached"],
    due_within: ["60"],
    source: ["chat,email"],
    sentiment: ["negative,very_negative"],
    custom_field: ["7:1,7:2"],
    query: ["slow printer"],
  };
  for (let i = 0; i < count; i++) {
    let filters = {};
    for (const [name, values] of Object.entries(choices)) if (random(3) === 0) filters[name] = one(values);
    if (random(2) === 0)
      filters = withValues(
        filters,
        "tag",
        Array.from({ length: random(4) }, () => one(words)),
      );
    yield filters;
  }
}

test("orders and filters of unsolved requests are never asked of others", () => {
  assert.deepEqual(shown({ unread: "true", sort: "priority" }), { unread: "true" });
  assert.deepEqual(shown({ state: "open,solved", filter_by: "last_message_at" }), { state: "open,solved" });
  assert.deepEqual(shown({ unread: "true", filter_by: "updated_at" }), { unread: "true", filter_by: "updated_at" });
  assert.deepEqual(shown({ unread: "true", sla: "breached" }), { unread: "true", sla: "breached", state: unsolved });
  assert.deepEqual(shown({ state: "open,on_hold", sort: "next_due", source: "api" }), { state: "open,on_hold", sort: "next_due", source: "api" });
});

test("an overdue request fits a filter of what is due", () => {
  const due = (minutes) => ({ next_due: { due_at: new Date(Date.now() + minutes * 60_000).toISOString() }, state: "open", not_a_request_state: null, collection: { id: 1 }, tags: [] });
  assert.equal(fits({ sla: "breached" }, due(-1), null), true);
  assert.equal(fits({ sla: "breached" }, due(5), null), false);
  assert.equal(fits({ due_within: "60" }, due(5), null), true);
  assert.equal(fits({ due_within: "60" }, due(-5), null), true);
  assert.equal(fits({ due_within: "60" }, due(65), null), false);
  assert.equal(fits({ due_within: "60" }, { ...due(5), next_due: null }, null), false);
});

test("an address without filters shows the unsolved requests, and every other list has an address of its own", () => {
  assert.deepEqual(shown({}), { state: unsolved });
  assert.deepEqual(toAddress({ state: unsolved }), {});
  assert.deepEqual(toAddress({}), { state: "any" });
  assert.deepEqual(shown({ state: "any" }), {});
  assert.deepEqual(shown({ state: unsolvedStates.join(",") }), { state: unsolved });
  assert.deepEqual(shown({ assignee_id: "me" }), { assignee_id: "me" });
});

test("an address keeps only filters, as text", () => {
  assert.deepEqual(fromAddress({ state: "open", team_id: 7, unread: true, priority: "", tag: null, customer_id: undefined, composing: "reply" }), { state: "open", team_id: "7", unread: "true" });
});

test("filters survive the way to the address bar and back, and to a view and back", () => {
  let several = 0;
  for (const filters of randomFilters(2000)) {
    several += Object.keys(filters).length > 1 ? 1 : 0;
    assert.deepEqual(shown(fromAddress(toAddress(filters))), settled(filters));
    const { query: _, ...kept } = filters; // a view has no words to search for
    const view = fromViewQuery(toViewQuery(filters));
    assert.ok(same(view, kept), `${JSON.stringify(view)} is not ${JSON.stringify(kept)}`);
  }
  assert.ok(several > 1000, `only ${several} had several filters`);
});

test("values may hold what separates them", () => {
  const tags = ["a,b", "c", "100%", "d,,e", "%2C", "%252C"];
  assert.deepEqual(valuesOf(withValues({}, "tag", tags), "tag"), tags);
  assert.deepEqual(valuesOf({}, "tag"), []);
  assert.deepEqual(withValues({ tag: "a", state: "open" }, "tag", []), { state: "open" });
});

test("the API is asked for lists where it takes several, and for each unsolved state", () => {
  // What is snoozed is not to be done now. Who searches, or asks for it, finds it.
  assert.deepEqual(toQuery({ state: unsolved }), { state: unsolvedStates, snoozed: "false" });
  assert.deepEqual(toQuery({ state: "open,pending", assignee_id: "me" }), { state: ["open", "pending"], assignee_id: ["me"], snoozed: "false" });
  assert.deepEqual(toQuery({ state: unsolved, query: "printer" }), { state: unsolvedStates, query: "printer" });
  assert.deepEqual(toQuery({ state: "open,solved" }), { state: ["open", "solved"] });
  assert.deepEqual(toQuery({ snoozed: "true" }), { snoozed: "true" });
  assert.deepEqual(toQuery({ state: "solved,closed", tag: "a%2Cb,c", collection_id: "4", unread: "true", query: "printer" }), {
    state: ["solved", "closed"],
    tag: ["a,b", "c"],
    collection_id: "4",
    unread: "true",
    query: "printer",
  });
  assert.deepEqual(toQuery({}), {});
});

test("a view repeats its tags and spells out the unsolved states", () => {
  assert.equal(toViewQuery({ state: unsolved, tag: "a%2Cb,c", query: "printer" }), "state=open%2Cin_progress%2Cpending%2Con_hold&tag=a%2Cb&tag=c");
  assert.deepEqual(fromViewQuery("tag=a%2Cb&tag=c&state=open%2Cin_progress%2Cpending%2Con_hold"), { tag: "a%2Cb,c", state: unsolved });
  assert.deepEqual(fromViewQuery("limit=7&state=open&state=closed"), { state: "open,closed" });
});

const request = {
  id: 1,
  state: "open",
  not_a_request_state: null,
  priority: "high",
  assignee: { id: "U1", name: "Ada" },
  assigned_team: { id: 7, name: "Support" },
  customer_id: 3,
  tags: ["a,b", "c"],
  collection: { id: 4, name: "Customer channels" },
  channel: { id: "C1", name: "globex" },
  unread: true,
  created_at: "2026-05-13T10:00:00.000000Z",
  updated_at: "2026-05-14T10:00:00.000000Z",
};
const bare = { ...request, state: null, not_a_request_state: null, assignee: null, assigned_team: null, customer_id: null, tags: [], channel: null, unread: false };
const asleep = { ...request, snooze: { until: null, at: "2026-05-13T11:00:00Z", by: null, back: null } };
const neverOne = { ...bare, not_a_request_state: "not_a_request" };

for (const [what, filters, candidate, expected] of [
  ["no filter", {}, request, true],
  ["no filter and what is no request", {}, bare, false],
  ["no filter and what was a request", {}, neverOne, true],
  ["one of its states", { state: unsolved }, request, true],
  ["snoozed, on a list of what is to be done", { state: unsolved }, asleep, false],
  ["back, on a list of what is to be done", { state: unsolved }, { ...asleep, snooze: { ...asleep.snooze, back: { at: "2026-05-14T10:00:00Z", reason: "time" } } }, true],
  ["snoozed, among the snoozed", { snoozed: "true" }, asleep, true],
  ["not snoozed, among the snoozed", { snoozed: "true" }, request, false],
  ["snoozed, in a search", { state: unsolved, query: "printer" }, asleep, true],
  ["followed", { following: "true" }, { ...request, following: true }, true],
  ["not followed", { following: "true" }, request, false],
  ["none of its states", { state: "solved,closed" }, request, false],
  ["no state", { state: "none" }, bare, true],
  ["no state wanted", { state: "none" }, request, false],
  ["the priority", { priority: "urgent,high" }, request, true],
  ["another priority", { priority: "urgent" }, request, false],
  ["mine", { assignee_id: "me" }, request, true],
  ["somebody else's", { assignee_id: "me" }, { ...request, assignee: { id: "U2", name: "Ben" } }, false],
  ["mine by id", { assignee_id: "U1,U3" }, request, true],
  ["nobody's", { assignee_id: "none" }, neverOne, true],
  ["nobody's wanted", { assignee_id: "none" }, request, false],
  ["the team", { team_id: "7" }, request, true],
  ["another team", { team_id: "8" }, request, false],
  ["no team", { team_id: "8,none" }, neverOne, true],
  ["the customer", { customer_id: "3" }, request, true],
  ["no customer", { customer_id: "none" }, request, false],
  ["any of the tags", { tag: "a%2Cb,x" }, request, true],
  ["a part of a tag", { tag: "a" }, request, false],
  ["no tags at all", { tag: "a" }, neverOne, false],
  ["the collection", { collection_id: "4" }, request, true],
  ["another collection", { collection_id: "5" }, request, false],
  ["the channel", { channel_id: "C1" }, request, true],
  ["no channel", { channel_id: "C1" }, neverOne, false],
  ["unread", { unread: "true" }, request, true],
  ["read", { unread: "true" }, { ...request, unread: false }, false],
  ["created after", { after: "2026-05-13T09:59:59Z" }, request, true],
  ["created at that very moment", { after: "2026-05-13T10:00:00Z" }, request, false],
  ["created before", { before: "2026-05-13T10:00:01Z" }, request, true],
  ["created too late", { before: "2026-05-13T10:00:00Z" }, request, false],
  ["updated after", { after: "2026-05-14T00:00:00Z", filter_by: "updated_at" }, request, true],
  ["created before, though updated after", { after: "2026-05-14T00:00:00Z" }, request, false],
  ["words that only the server knows", { query: "printer", author_emails: "ada@globex.test" }, request, true],
  ["one filter of two", { state: "open", priority: "low" }, request, false],
])
  test(`whether a request fits: ${what}`, () => {
    assert.equal(fits(toQuery(filters), candidate, "U1"), expected);
  });

test("nobody is signed in as a chat user: nothing is mine", () => {
  assert.equal(fits(toQuery({ assignee_id: "me" }), request, null), false);
  assert.equal(fits(toQuery({ assignee_id: "me" }), neverOne, null), false);
});

test("a request is among what is loaded if it comes before the last row, or if there is no more to load", () => {
  const at = (day) => ({ ...request, created_at: `2026-05-${day}T10:00:00.000000Z`, updated_at: `2026-06-${40 - day}T10:00:00.000000Z` });
  assert.equal(withinLoaded({}, at(14), at(13), true), true);
  assert.equal(withinLoaded({}, at(12), at(13), true), false);
  assert.equal(withinLoaded({}, at(12), at(13), false), true);
  assert.equal(withinLoaded({}, at(12), undefined, true), true);
  assert.equal(withinLoaded({ sort_order: "asc" }, at(12), at(13), true), true);
  assert.equal(withinLoaded({ sort_order: "asc" }, at(14), at(13), true), false);
  assert.equal(withinLoaded({ filter_by: "updated_at" }, at(14), at(13), true), false);
  assert.equal(withinLoaded({ filter_by: "updated_at" }, at(12), at(13), true), true);
});

test("a day of the account is from its first moment to its last, also where clocks change at midnight", () => {
  for (const zone of ["UTC", "Europe/Berlin", "Pacific/Auckland", "America/Santiago", "Asia/Beirut", "Asia/Kathmandu"]) {
    const form = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
    const shown = (moment) => form.format(moment);
    for (let day = "2026-01-01"; day <= "2026-12-31"; day = addDays(day, 1)) {
      const [after, before] = [afterOf(day, zone), beforeOf(addDays(day, 1), zone)];
      const said = `${day} in ${zone}`;
      assert.deepEqual([Date.parse(after), Date.parse(after) + 1, Date.parse(before) - 1, Date.parse(before)].map(shown), [addDays(day, -1), day, day, addDays(day, 1)], said);
      assert.equal(firstDay(after, zone), day, said);
      assert.equal(endDay(before, zone), addDays(day, 1), said);
    }
  }
  assert.equal(firstDay("2026-05-13T00:00:00Z", "UTC"), "2026-05-13", "as views have it that were saved with a day");
  for (const none of ["2026-05-13T10:00:00Z", "soon"]) assert.deepEqual([firstDay(none, "UTC"), endDay(none, "UTC")], [null, null]);
});
