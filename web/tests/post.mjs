// Both ends of mail: a relay that keeps what it is given, and a way to hand a mail in.
import { createConnection, createServer } from "node:net";

/** Lines of a connection, one at a time. */
function lines(socket) {
  let rest = "";
  const waiting = [];
  const ready = [];
  const give = (line) => (waiting.length > 0 ? waiting.shift()(line) : ready.push(line));
  socket.setEncoding("utf8");
  socket.on("error", () => {});
  socket.on("close", () => give(null));
  socket.on("data", (chunk) => {
    const parts = (rest + chunk).split("\r\n");
    rest = parts.pop();
    for (const line of parts) give(line);
  });
  return () => (ready.length > 0 ? Promise.resolve(ready.shift()) : new Promise((next) => waiting.push(next)));
}

/**
 * A relay on a free port. `mails` are those that it has taken: `{to, data}`. A recipient in `refused` is refused with a
 * 550. For one in `lost` it takes the mail and hangs up without an answer.
 */
export async function startRelay() {
  const relay = { mails: [], refused: new Set(), lost: new Set() };
  const sockets = new Set();
  const talk = async (socket) => {
    const next = lines(socket);
    const say = (text) => socket.write(`${text}\r\n`);
    let to = "";
    say("220 relay.test");
    for (let line = await next(); line !== null; line = await next()) {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === "RCPT") {
        to = /<(.*?)>/.exec(line)[1];
        say(relay.refused.has(to) ? "550 5.1.1 No such mailbox here" : "250 OK");
      } else if (verb === "DATA") {
        say("354 Go on");
        const data = [];
        for (let l = await next(); l !== null && l !== "."; l = await next()) data.push(l.replace(/^\./, ""));
        if (relay.lost.has(to)) return socket.destroy();
        relay.mails.push({ to, data: data.join("\r\n") });
        say("250 Taken");
      } else if (verb === "QUIT") {
        say("221 Bye");
        socket.end();
      } else say("250 OK");
    }
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    void talk(socket);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return Object.assign(relay, {
    url: `smtp://127.0.0.1:${server.address().port}`,
    stop: () => {
      for (const s of sockets) s.destroy();
      return new Promise((done) => server.close(done));
    },
  });
}

/** A port that nothing listens on. */
export async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Hands a mail to the SMTP server on this port. `head` are its headers, `body` its text. */
export async function deliver(port, { from, to, head, body }) {
  const socket = createConnection(port, "127.0.0.1");
  const next = lines(socket);
  const answer = async (sent, wanted) => {
    for (;;) {
      const line = await next();
      if (line === null) throw new Error(`the server hung up after ${sent}`);
      if (line[3] === "-") continue;
      if (!line.startsWith(wanted)) throw new Error(`${sent}: ${line}`);
      return;
    }
  };
  const say = async (line, wanted) => {
    socket.write(`${line}\r\n`);
    await answer(line.slice(0, 60), wanted);
  };
  await answer("connecting", "220");
  await say("EHLO customers.test", "250");
  await say(`MAIL FROM:<${from}>`, "250");
  for (const t of [to].flat()) await say(`RCPT TO:<${t}>`, "250");
  await say("DATA", "354");
  const lineEnds = (text) => text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n").replaceAll(/^\./gm, "..");
  const headers = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  await say(`${lineEnds([...headers, "", body].join("\n"))}\r\n.`, "250");
  socket.end("QUIT\r\n");
}
