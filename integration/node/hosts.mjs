// Has the assistants' own command-line programs read what setup writes and prints for them, and connect.
//
//   node hosts.mjs BINARY
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { check, notChecked, startDemo, stop, summary, want } from "./demo.mjs";
import { decide, follow } from "./owner.mjs";

const binary = process.argv[2];
const installed = fileURLToPath(new URL("hosts/node_modules", import.meta.url));
const pinned = JSON.parse(readFileSync(new URL("hosts/package.json", import.meta.url), "utf8")).optionalDependencies;

// What each host's list says of a server that answers, and whether setup prints a command of the host's own for a server
// over HTTP. Codex lists without connecting.
const hosts = [
  { client: "claude-code", program: "claude", module: "@anthropic-ai/claude-code", connected: /✔ Connected/, listsOnly: false, commandForHTTP: true },
  { client: "gemini", program: "gemini", module: "@google/gemini-cli", connected: /- Connected/, listsOnly: false, commandForHTTP: false },
  { client: "codex", program: "codex", module: "@openai/codex", connected: /enabled/, listsOnly: true, commandForHTTP: true },
];

// Newcomer is a person's machine: a home of its own, in which nothing but these programs was ever run.
// All that they reach is on this machine, so no proxy is passed on.
class Newcomer {
  constructor(demo) {
    this.home = mkdtempSync(join(tmpdir(), "hosts-"));
    this.folder = join(this.home, "project");
    mkdirSync(this.folder);
    this.exports = join(this.home, "exports");
    mkdirSync(this.exports);
    writeFileSync(join(this.exports, "orders.csv"), "id,ordered_at,amount\n1,2026-05-01,10\n2,2026-05-02,50\n");
    mkdirSync(join(this.home, ".codex")); // Codex wants its folder to exist when CODEX_HOME names it
    this.env = {
      PATH: [join(installed, ".bin"), dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: this.home,
      CODEX_HOME: join(this.home, ".codex"),
      PDPP_TOKEN: demo.client_token,
      PDPP_REFUSED_TOKEN: demo.revoked_token,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    };
  }

  // run runs a program; it resolves with all that the program printed, and with its exit code.
  run(command, ...args) {
    return new Promise((resolve) => {
      const options = { cwd: this.folder, env: this.env, timeout: 50_000, killSignal: "SIGKILL" };
      const child = execFile(command, args, options, (error, stdout, stderr) =>
        resolve({ code: error ? (error.code ?? error.signal) : 0, printed: stdout + stderr }),
      );
      child.stdin?.end();
    });
  }

  async must(command, ...args) {
    const { code, printed } = await this.run(command, ...args);
    want(code === 0, `${command} ${args.join(" ")} ended with ${code}: ${printed}`);
    return printed;
  }

  leave() {
    rmSync(this.home, { recursive: true, force: true });
  }
}

// listed returns the line of the host's list that is about the server name.
async function listed(newcomer, host, name) {
  const printed = await newcomer.must(host.program, "mcp", "list");
  const line = printed.split("\n").find((line) => new RegExp(`^\\W*${name}[:\\s]`).test(line));
  return line ?? "";
}

async function walk(host, demo) {
  const stdio = ["pdpp", "--demo"];
  const http = ["pdpp-http", "--name", "pdpp-http", "--url", demo.mcp_url, "--token-env", "PDPP_TOKEN"];
  const refused = ["pdpp-refused", "--name", "pdpp-refused", "--url", demo.mcp_url, "--token-env", "PDPP_REFUSED_TOKEN"];
  const says = host.listsOnly ? "lists" : "connects to";

  const wrote = new Newcomer(demo);
  const own = ["pdpp-own", "--name", "pdpp-own", "--data", wrote.exports];
  for (const [name, ...flags] of [stdio, http, own, refused]) {
    await check(`${host.client}: setup ${name} --write`, () => wrote.must(binary, "setup", host.client, ...flags, "--write"));
  }
  for (const [name] of [stdio, http, own]) {
    await check(`${host.client}: mcp list ${says} ${name} as setup wrote it`, async () => {
      const line = await listed(wrote, host, name);
      want(host.connected.test(line), `it says: ${line || "nothing of it"}`);
    });
  }
  if (!host.listsOnly) {
    await check(`${host.client}: mcp list does not connect with a revoked token`, async () => {
      const line = await listed(wrote, host, "pdpp-refused");
      want(line !== "" && !host.connected.test(line), `it says: ${line || "nothing of it"}`);
    });
  }
  await check(`${host.client}: a second --write changes nothing after the program has used the file`, async () => {
    const printed = await wrote.must(binary, "setup", host.client, ...stdio.slice(1), "--write");
    want(printed.includes("nothing was changed"), printed);
  });
  await check(`${host.client}: mcp list shows nothing of what --remove took out, and still the others`, async () => {
    await wrote.must(binary, "setup", host.client, "--remove");
    want((await listed(wrote, host, "pdpp")) === "", "it still lists pdpp");
    want(host.connected.test(await listed(wrote, host, "pdpp-http")), "it lost pdpp-http");
  });
  wrote.leave();

  const pasted = new Newcomer(demo);
  for (const [name, ...flags] of host.commandForHTTP ? [stdio, http] : [stdio]) {
    await check(`${host.client}: mcp list ${says} ${name} by the command that setup prints`, async () => {
      const printed = await pasted.must(binary, "setup", host.client, ...flags);
      const command = printed.split("\n").find((line) => line.startsWith(`  ${host.program} mcp add `));
      want(command, `setup prints no command: ${printed}`);
      await pasted.must("sh", "-c", command);
      const line = await listed(pasted, host, name);
      want(host.connected.test(line), `it says: ${line || "nothing of it"}`);
    });
    await check(`${host.client}: --write finds ${name} of that command in place`, async () => {
      const printed = await pasted.must(binary, "setup", host.client, ...flags, "--write");
      want(printed.includes("nothing was changed"), printed);
    });
  }
  pasted.leave();
}

// Claude Code signs in by OAuth without an account of its own, in a terminal: script (util-linux) is one. What it calls needs an account.
async function signIn(demo) {
  const newcomer = new Newcomer(demo);
  await newcomer.must("claude", "mcp", "add", "--transport", "http", "pdpp", demo.mcp_url);
  const child = spawn("script", ["-qec", "stty cols 2000; claude mcp login --no-browser pdpp", "/dev/null"], { cwd: newcomer.folder, env: { ...newcomer.env, TERM: "xterm" } });
  let printed = "";
  let answered;
  child.stdout.on("data", (part) => {
    printed += part;
    const address = /(https?:\/\/\S+code_challenge=\S+)\s/.exec(printed)?.[1];
    if (address && !answered) answered = decide(demo, address).then(follow).catch((error) => (child.kill(), (printed += error)));
  });
  await new Promise((resolve, reject) => child.once("exit", resolve).once("error", reject));
  want(printed.includes("Authenticated"), printed);
  const listed = await newcomer.must("claude", "mcp", "list");
  want(/pdpp: .*✔ Connected/.test(listed), listed);
  newcomer.leave();
}

try {
  const demo = await startDemo(binary);
  for (const host of hosts) {
    const name = `${host.client} ${pinned[host.module]}`;
    if (!existsSync(join(installed, host.module, "package.json"))) {
      notChecked(name, "npm did not install it");
      continue;
    }
    const newcomer = new Newcomer(demo);
    const { code, printed } = await newcomer.run(host.program, "--version");
    newcomer.leave();
    if (code !== 0) {
      notChecked(name, `it was installed and does not run here: ${code} ${printed.trim().slice(0, 200)}`);
      continue;
    }
    await check(`${host.client}: is ${pinned[host.module]}`, async () => want(printed.includes(pinned[host.module]), printed));
    await walk(host, demo);
    if (host.client !== "claude-code") continue;
    if (existsSync("/usr/bin/script")) await check("claude-code: mcp login signs in at the demo, and mcp list connects", () => signIn(demo));
    else notChecked("claude-code: mcp login", "there is no script (util-linux), and it wants a terminal");
  }
} finally {
  await stop();
}
process.exit(summary());
