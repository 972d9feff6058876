// The mail that an answer becomes, as the browser foretells it, and addresses as people type them.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sources } from "./source.mjs";

let letters, addresses;

before(async () => {
  [letters, addresses] = await sources(["screens/inbox/request/letters.ts", "data/addresses.ts"]);
});

const oskar = { email: "oskar@harbor.test", name: "Oskar Lind", role: "requester", status: "active" };
const ida = { email: "ida@harbor.test", name: null, role: "cc", status: "active" };
const asked = { email: "eve@elsewhere.test", name: "Eve", role: "cc", status: "asked" };
const removed = { email: "rolf@harbor.test", name: null, role: "cc", status: "removed" };
const config = { address: "help@acme.test", from_name: "Acme", signature_html: "<p>Acme</p>", inbound_address: "in+x@reply.test", verified: true };
const email = { id: 1, kind: "email", email_config: config };
const api = { id: 2, kind: "api" };
const chat = { id: 3, kind: "chat" };
const came = { id: 1, is_responder: false, is_private: false, email: { direction: "in", status: "received", subject: "RE: re: The gate", from: oskar.email } };
const sent = { id: 2, is_responder: true, is_private: false, email: { direction: "out", status: "sent", subject: "Re: The gate" } };
const said = { id: 3, is_responder: false, is_private: false, email: null };
const request = (...messages) => ({ title: "The gate", author: { name: "Oskar Lind", email: oskar.email }, tickets: [{ type: "native", key: "ACME-7" }], messages });
const letterOf = (request, collection, sender, participants, writer, sends = true) => letters.letterOf({ request, collection, sender, participants, writer, sends });
const emails = (people) => people.map((p) => p.email);

test("an answer goes to the requester, with those in Cc who were let in", () => {
  const letter = letterOf(request(came), email, email, [oskar, ida, asked, removed], "jo@acme.test");
  assert.deepEqual([emails(letter.to), emails(letter.cc), emails(letter.asked)], [[oskar.email], [ida.email], [asked.email]]);
  assert.deepEqual(letter.from, { name: "Acme", email: "help@acme.test" });
  assert.equal(letter.problem, null);
  // Whoever writes gets no copy.
  assert.deepEqual(emails(letterOf(request(came), email, email, [oskar, ida], "IDA@harbor.test").cc), []);
  // Without a requester, the others are addressed.
  const others = letterOf(request(came), email, email, [oskar, ida], oskar.email);
  assert.deepEqual([emails(others.to), emails(others.cc)], [[ida.email], []]);
});

test("the subject stays that of the thread", () => {
  const subject = (collection, ...messages) => letterOf(request(...messages), collection, email, [oskar], null).subject;
  assert.equal(subject(email, came), "Re: The gate");
  assert.equal(subject(email, { ...came, email: { ...came.email, subject: "Another" } }, sent), "Re: The gate");
  assert.equal(subject(api, said), "ACME-7 The gate");
});

test("only the first mail quotes what was asked", () => {
  const quoted = (...messages) => letterOf(request(...messages), email, email, [oskar], null).quoted?.message.id ?? null;
  assert.equal(quoted(came), came.id);
  assert.equal(quoted(came, sent), null);
});

test("where no mail is sent, the reason is a sentence, or there is nothing to do with mail", () => {
  const of = (collection, sender, people = [oskar], ...messages) => letterOf(request(...messages), collection, sender, people, null);
  assert.equal(of(chat, email, [], said), null);
  assert.deepEqual(emails(of(chat, email, [oskar], said).to), [oskar.email]); // imported with their address
  assert.equal(of(api, null, [oskar], said), null);
  assert.equal(of(api, email, [], said), null);
  assert.equal(of(email, null, [oskar], came).problem, "Not sent by mail: the account has no email collection.");
  assert.equal(of(email, { ...email, email_config: { ...config, inbound_address: null } }, [oskar], came).problem, "Not sent by mail: the server has no mail domain.");
  assert.equal(of(email, email, [], came).problem, "Not sent by mail: nobody here gets mail.");
  assert.equal(letterOf(request(came), email, email, [oskar], null, false).problem, "Not sent by mail: the server has no mail relay.");
  const unverified = of(email, { ...email, email_config: { ...config, verified: false } }, [oskar], came);
  assert.equal(unverified.from.email, "no-reply@reply.test");
});

test("what went wrong is said for each kind of trouble", () => {
  const out = (...recipients) => ({ error: null, recipients: recipients.map(([email, status, error = null]) => ({ email, status, error })) });
  assert.equal(letters.troubleOf(out(["a@x.test", "sent"], ["b@x.test", "waiting"])), null);
  assert.equal(letters.troubleOf(out(["a@x.test", "failed", "No such mailbox"])), "The mail to a@x.test was not delivered. No such mailbox. If the address is right, send it again.");
  assert.match(
    letters.troubleOf(out(["a@x.test", "failed", "Full."], ["b@x.test", "perhaps_sent"])),
    /^The mail to a@x.test was not delivered. Full. .* The mail to b@x.test may not have been sent: /,
  );
});

test("addresses are read as people type and paste them", () => {
  const { readAddresses } = addresses;
  assert.deepEqual(readAddresses(" ida@harbor.test "), { given: [{ email: "ida@harbor.test", name: null }], wrong: [] });
  assert.deepEqual(readAddresses('"Lind, O" <o@harbor.test>').given, [{ email: "o@harbor.test", name: "Lind, O" }]);
  assert.deepEqual(readAddresses("Ida <ida@harbor.test>; IDA@harbor.test, x@y.test\n"), {
    given: [
      { email: "ida@harbor.test", name: "Ida" },
      { email: "x@y.test", name: null },
    ],
    wrong: [],
  });
  for (const wrong of ["ida", "ida@harbor", "i da@harbor.test", "Ida <ida>", "@harbor.test"]) assert.deepEqual(readAddresses(wrong), { given: [], wrong: [wrong] });
});

test("many names are a few and a number", () => {
  assert.deepEqual(
    [["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]].map((n) => letters.few(n)),
    ["a", "a and b", "a, b and c", "a, b and 2 others"],
  );
});
