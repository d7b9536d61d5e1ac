// Starts programs that serve until they are stopped, and counts checks.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

const running = new Set();

// start runs a program and resolves with the first line that it prints, and the program.
export async function start(command, ...args) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${command} ${args[0]} did not start within 60 s`)), 60_000);
    lines.once("line", (line) => (clearTimeout(timer), resolve({ line, child })));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${command} ${args[0]} ended with ${code} before it served`)));
  });
}

// stop ends everything that was started.
export async function stop() {
  await Promise.all([...running].map(stopOne));
}

// stopOne ends a program that was started.
export function stopOne(child) {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", resolve);
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), 10_000).unref();
  });
}

// startDemo serves the sample year, or what further flags name; it resolves with its URLs and tokens, and the program.
export async function startDemo(binary, ...flags) {
  const { line, child } = await start(binary, "demo", "--json", "--listen", "127.0.0.1:0", ...flags);
  return { ...JSON.parse(line), child };
}

// startServe serves /mcp in front of a resource server at a public URL of loopback, a port of its own unless named; it resolves with
// the address of /mcp and the program once it answers.
export async function startServe(binary, rsURL, port, ...flags) {
  const origin = `http://127.0.0.1:${port || (await freePort())}`;
  const child = spawn(binary, ["serve", "--rs-url", rsURL, "--listen", new URL(origin).host, "--public-url", origin, "--log-level", "error", ...flags], { stdio: ["ignore", "ignore", "inherit"] });
  running.add(child);
  for (let tries = 0; tries < 600 && child.exitCode === null; tries++) {
    const answered = await fetch(`${origin}/.well-known/oauth-protected-resource`).then((response) => response.ok, () => false);
    if (answered) return { url: `${origin}/mcp`, port: new URL(origin).port, child };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("serve did not start");
}

// freePort is a port of loopback that nobody listens at.
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

let passed = 0;
let failed = 0;
let unchecked = 0;

// check runs one check, at most a minute long, and prints a line about it.
export async function check(name, run) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("took longer than 60 s")), 60_000);
  });
  try {
    await Promise.race([run(), late]);
    passed++;
    console.log(`ok    ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}: ${String(error?.message ?? error).slice(0, 600)}`);
  } finally {
    clearTimeout(timer);
  }
}

// notChecked prints what could not be tried here, and why: it counts neither as passed nor as failed.
export function notChecked(name, why) {
  unchecked++;
  console.log(`NOT CHECKED  ${name}: ${why}`);
}

// want throws unless the condition holds.
export function want(condition, otherwise) {
  if (!condition) throw new Error(typeof otherwise === "string" ? otherwise : JSON.stringify(otherwise));
}

// summary prints how it went and returns the exit code.
export function summary() {
  console.log(`${passed} passed, ${failed} failed${unchecked > 0 ? `, ${unchecked} NOT CHECKED` : ""}`);
  return failed === 0 && passed + unchecked > 0 ? 0 : 1;
}
