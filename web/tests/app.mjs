// Starts the real binary in an empty folder and waits until it answers.
import { spawn } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const binary = fileURLToPath(new URL("../../bin/frontdesk", import.meta.url));

/** Starts `frontdesk …args` on a free port, on a copy of the data folder `data` if there is one. `ready` matches the output that says it is up. */
export async function start(args, { ready, env = {}, data }) {
  const folder = await mkdtemp(join(tmpdir(), "frontdesk-web-"));
  if (data) await cp(data, join(folder, "data"), { recursive: true });
  const child = spawn(binary, [...args, "--addr", "127.0.0.1:0", "--operations-addr", "", "--data", join(folder, "data")], {
    env: { PATH: process.env.PATH, HOME: folder, FRONTDESK_RATE_LIMIT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const waiting = new Set();
  const hear = (chunk) => {
    output += chunk;
    for (const look of waiting) look();
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  /** Waits until the output has this. */
  const says = (pattern) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = output.match(pattern);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void exited.then(() => reject(new Error(`frontdesk ended before it said ${pattern}:\n${output}`)));
    });
  /** Runs a command on the same data folder, with `input` as its standard input. */
  const run = async (args, input = "") => {
    const command = spawn(binary, [...args, "--data", join(folder, "data")], { env: { PATH: process.env.PATH, HOME: folder, ...env }, stdio: ["pipe", "ignore", "pipe"] });
    let errors = "";
    command.stderr.on("data", (chunk) => (errors += chunk));
    command.stdin.end(input);
    const code = await new Promise((resolve) => command.once("close", resolve));
    if (code !== 0) throw new Error(`frontdesk ${args.join(" ")}: ${errors}`);
  };
  /** Stops it. With a folder `keep`, its data is there afterwards. */
  const stop = async (keep) => {
    child.kill("SIGTERM");
    await exited;
    if (keep) await cp(join(folder, "data"), keep, { recursive: true });
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const found = await says(ready);
    return { url: found[1], pid: child.pid, says, stop, run, output: () => output };
  } catch (e) {
    await stop();
    throw e;
  }
}

/**
 * A demo desk, with the token and the password that it prints. To fill a desk takes most of the time, so a run of many
 * files copies the data of one that it has filled before (furnish.mjs). One with settings of its own is filled under them,
 * unless it is `furnished`: then they do not matter for what is in it.
 */
export async function startDemo({ env, furnished = !env } = {}) {
  const app = await start(["demo"], { ready: /Frontdesk is running: (\S+)/, env, data: furnished ? process.env.FRONTDESK_TEST_DEMO : "" });
  const token = (await app.says(/T=(\S+)/))[1];
  await app.says(/sample requests are there/);
  const [, email, password] = await app.says(/Sign in as (\S+) with the password (\S+)/);
  return { ...app, token, email, password, api: api(app.url, token) };
}

/** Calls the API as a program would, to compare its answers with the screens. */
export function api(url, token) {
  return async (method, path, body) => {
    const response = await fetch(`${url}/v1/rest${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body && { "Content-Type": "application/json" }) },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
}
