// What happened stands between the messages, in the order of time.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sources } from "./source.mjs";

let groups, told;

before(async () => {
  [groups, told] = await sources(["screens/inbox/request/groups.ts", "screens/inbox/request/happenings.ts"]);
});

const at = (minute) => new Date(Date.UTC(2026, 4, 13, 9, minute)).toISOString();
const said = (id, minute) => ({ id, author: "U1", is_responder: true, is_private: false, email: null, created_at: at(minute) });
const change = (id, minute, changes, more = {}) => ({ id, at: at(minute), actor: { id: 1, name: "Maya", email: null }, source: "web", action: "request.updated", changes, ...more });
const solved = [{ field: "state", from: "open", to: "solved" }];

test("changes stand between the messages around them", () => {
  const happened = told.happenings([change(2, 6, solved), change(1, 2, [{ field: "priority", from: "low", to: "high" }])], null);
  const [day] = groups.byDay([said(1, 1), said(2, 3), said(3, 4)], happened);
  assert.deepEqual(
    day.items.map((i) => ("messages" in i ? i.messages.map((m) => m.id) : i.happenings.map((h) => h.key))),
    [[1], ["changed 1"], [2, 3], ["changed 2"]],
  );
});

test("a day on which nothing was said is there for what happened", () => {
  const later = { ...change(1, 0, solved), at: "2026-05-20T09:00:00.000Z" };
  assert.deepEqual(
    groups.byDay([said(1, 1)], told.happenings([later], null)).map((d) => d.items.length),
    [1, 1],
  );
});

test("what was undone is left out, and its undoing, and what only the history tells", () => {
  const entries = [
    change(4, 4, solved, { action: "request.undone", undoes: 3 }),
    change(3, 3, solved, { undone_at: at(4) }),
    change(2, 2, [{ field: "tags", from: [], to: ["a"] }]),
    change(null, 1, [], { action: "request.created" }),
  ];
  assert.deepEqual(told.happenings(entries, null), []);
  assert.equal(told.happenings([change(5, 5, [...solved, { field: "tags", from: [], to: ["a"] }])], null)[0].changes.length, 1);
});

test("a missed target stands at the time when it was due", () => {
  const clocks = { first_response: { is_breached: true, due_at: at(5) }, resolution: { is_breached: false, due_at: at(1) } };
  const all = told.happenings([change(1, 3, solved), change(2, 7, solved)].reverse(), clocks);
  assert.deepEqual(
    all.map((h) => h.key),
    ["changed 1", "missed first_response", "changed 2"],
  );
});
