// What others make from the API document: clients of two generators compile in
// strict mode, and a program written with each sends a file to a running server.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { api, start } from "./app.mjs";

const web = fileURLToPath(new URL("..", import.meta.url));
const generated = `${web}tests/clients/generated`;

/** Runs a program in web/, with what it said when it fails. */
async function run(program, ...args) {
  try {
    return (await promisify(execFile)(program, args, { cwd: web, maxBuffer: 64 << 20 })).stdout;
  } catch (e) {
    throw new Error(`${program} ${args.join(" ")}\n${e.stdout}${e.stderr}`);
  }
}

let desk;

before(async () => {
  await rm(generated, { recursive: true, force: true });
  await mkdir(generated, { recursive: true });
  await writeFile(`${generated}/openapi.json`, await run("../bin/frontdesk", "openapi"));
  await run("tools/node_modules/.bin/openapi-typescript", "tests/clients/generated/openapi.json", "-o", "tests/clients/generated/openapi-typescript.d.ts");
  await run("tools/node_modules/.bin/openapi-ts", "-f", "tests/clients/hey-api.config.mjs");

  const app = await start(["serve"], { ready: /(http\S+\/first-run\S*)\s/ });
  const first = new URL(app.url);
  desk = { ...app, url: first.origin };
  const owner = { account_name: "Globex", email: "mira@globex.test", password: "nine quiet lamps at noon" };
  const opened = await fetch(`${desk.url}/auth/first-run`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code: first.hash.slice(1), ...owner }),
  });
  assert.equal(opened.status, 204);
  const made = await fetch(`${desk.url}/v1/rest/tokens`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Cookie: opened.headers
        .getSetCookie()
        .map((c) => c.split(";")[0])
        .join("; "),
    },
    body: JSON.stringify({ name: "Generated clients", scope: "read_write" }),
  });
  desk.token = (await made.json()).token.secret;
  await api(desk.url, desk.token)("POST", "/collections", { name: "API", kind: "api" });
});

after(async () => {
  await desk?.stop();
});

test("the generated clients, and programs that use them, compile in strict mode", async () => {
  await run("node_modules/.bin/tsc", "-p", "tests/clients");
});

for (const generator of ["openapi-typescript", "hey-api"]) {
  test(`a client made by ${generator} sends a file and reads it back`, async () => {
    const { connect, titleOf } = await import(`${generated}/built/${generator}.js`);
    const client = connect(desk.url, desk.token);
    const file = { name: `${generator} ✓.txt`, text: "Größe: 12 µm\n" };
    const id = await client.upload(new File([file.text], file.name, { type: "text/plain" }));
    assert.deepEqual(await client.files(id), [file]);
    assert.match(await client.refusal(), /No user of the chat system has the email.* 406 406$/);
    assert.equal(titleOf({ data: { request: { title: "Printer" } } }), "Printer");
  });
}
