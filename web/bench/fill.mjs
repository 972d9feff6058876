// Fills a desk with many requests through the API, as an import does, and waits until the server has done what follows.
import { readFile } from "node:fs/promises";

const atOnce = 50; // as many as the API takes in one call
const callers = 4;
const said = 3;

// Of forty requests, so many are in these states; the rest is closed.
const states = ["open", "open", "in_progress", "pending", "solved", "solved", "solved"];
const things = ["printer", "label", "invoice", "export", "shipment", "gate", "scanner", "contract", "login", "report", "calendar", "backup", "camera", "terminal", "forklift", "scale"];
const troubles = [
  "prints twice",
  "is late",
  "does not open",
  "has the wrong total",
  "was sent to another address",
  "asks for a password",
  "stops at noon",
  "is not in the list",
  "shows last year",
  "hums",
];

function request(n, many, end) {
  const title = `The ${things[n % things.length]} ${troubles[(n * 7) % troubles.length]}, order ${n}`;
  const created = end - (many - n) * 600_000;
  const asks = { name: `Jo ${n % 997}`, email: `jo.${n % 997}@many.test` };
  const messages = Array.from({ length: said }, (_, i) => ({
    html_body: `<p>${title}. This is message ${i + 1} of the conversation, and it is as long as people write: they say what happened, when, and what they have tried.</p>`,
    author: i % 2 === 0 ? asks : { name: "Mira", email: "mira@many.test" },
    is_responder: i % 2 === 1,
    created_at: new Date(created + i * 60_000).toISOString(),
  }));
  return { external_id: `many-${n}`, title, requester: asks, state: states[n % 40] ?? "closed", created_at: new Date(created).toISOString(), messages };
}

/** Imports so many requests, one every ten minutes until a day ago. */
export async function fill(desk, many) {
  const end = Math.floor(Date.now() / 1000) * 1000 - 86_400_000;
  const batches = Array.from({ length: Math.ceil(many / atOnce) }, (_, b) => b * atOnce).values();
  const caller = async () => {
    for (const first of batches) {
      const requests = Array.from({ length: Math.min(atOnce, many - first) }, (_, i) => request(first + i, many, end));
      await desk.api("POST", "/requests/batch", { requests });
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  await quiet(desk.pid);
}

/** Waits until a process has used hardly any CPU for two seconds. */
async function quiet(pid) {
  const used = async () => {
    const [user, system] = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1].split(" ").slice(11, 13);
    return Number(user) + Number(system); // in hundredths of a second
  };
  for (let before = await used(); ;) {
    await new Promise((next) => setTimeout(next, 2000));
    const now = await used();
    if (now - before < 10) return;
    before = now;
  }
}
