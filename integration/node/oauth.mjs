// Real clients that sign in by OAuth at the demo, whose owner picks what they may read, and through a server that asks for one source:
// the TypeScript SDK of both generations, mcp-remote and the Inspector's command line.
import { Client as Client2, StreamableHTTPClientTransport as Transport2, UnauthorizedError as Unauthorized2 } from "@modelcontextprotocol/client";
import { UnauthorizedError as Unauthorized1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { good } from "./calls.mjs";
import { check, freePort, startDemo, startServe, stopOne, want } from "./demo.mjs";
import { decide, follow } from "./owner.mjs";
import { walk } from "./sdk.mjs";

const installed = (name) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));
const redirect = "http://127.0.0.1:49152/callback"; // nobody listens there: the test takes the code itself

// A Program keeps what the SDK's OAuth client learns, as a host does.
class Program {
  saved = 0; // how often tokens were issued
  asked = 0; // how often the owner was
  redirectUrl = redirect;
  clientMetadata = { client_name: "sdk", redirect_uris: [redirect], grant_types: ["authorization_code", "refresh_token"], response_types: ["code"], token_endpoint_auth_method: "none" };
  state = () => "st";
  clientInformation = () => this.registered;
  saveClientInformation = (information) => void (this.registered = information);
  tokens = () => this.held;
  saveTokens = (tokens) => (this.saved++, void (this.held = tokens));
  redirectToAuthorization = (address) => (this.asked++, void (this.authorization = address));
  saveCodeVerifier = (verifier) => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;
  invalidateCredentials = (what) => {
    if (what === "all" || what === "tokens") this.held = undefined;
    if (what === "all" || what === "client") this.registered = undefined;
  };
}

const generations = [
  { name: "sdk 1", version: "2025-11-25", Unauthorized: Unauthorized1, Transport: Transport1, newClient: () => new Client1({ name: "oauth", version: "1" }) },
  {
    name: "client 2", version: "2026-07-28", Unauthorized: Unauthorized2, Transport: Transport2,
    newClient: () => new Client2({ name: "oauth", version: "1" }, { versionNegotiation: { mode: "auto" } }),
  },
];

// signIn leads a program through one sign-in and returns a transport that is signed in.
async function signIn({ Transport, Unauthorized, newClient }, endpoint, demo, program, decision) {
  const transport = new Transport(new URL(endpoint), { authProvider: program });
  const refused = await newClient().connect(transport).then(() => undefined, (error) => error);
  want(refused instanceof Unauthorized && program.authorization, `it connects without a sign-in, or fails: ${refused}`);
  const back = await decide(demo, program.authorization, decision);
  if (!back) return undefined;
  const answered = new URL(back);
  want(answered.searchParams.get("state") === "st", back);
  const first = new Transport(new URL(endpoint), { authProvider: program });
  await first.finishAuth(answered.searchParams.get("code"));
  return new Transport(new URL(endpoint), { authProvider: program });
}

const schema = (client) => client.callTool({ name: "schema", arguments: {} });

// life is what happens to a sign-in later: it is denied, ends, is renewed, is revoked, and the network is lost.
async function life(generation, binary, demo, brief) {
  const { name, Unauthorized, newClient } = generation;
  await check(`${name}, sign-in: denied, and nothing is issued`, async () => {
    const program = new Program();
    want(!(await signIn(generation, demo.mcp_url, demo, program, { deny: true })), "it has a token");
    want(!program.held, "it holds tokens");
  });
  await check(`${name}, sign-in: parallel calls at the end of an access token are all answered, without the owner`, async () => {
    const program = new Program();
    const client = newClient();
    await client.connect(await signIn(generation, brief.slack.url, brief, program));
    while (program.saved < 3) {
      for (const result of await Promise.all([1, 2, 3, 4, 5].map(() => schema(client)))) want(!result.isError, result);
    }
    want(program.asked === 1, `the owner was asked ${program.asked} times`);
    await client.close();
  });
  const served = await startServe(binary, demo.rs_url, 0, "--authorization-source", "slack");
  await check(`${name}, sign-in for one source: reads it and no other; a lost network is an error, and then over; revoked is asked again`, async () => {
    const program = new Program();
    const client = newClient();
    await client.connect(await signIn(generation, served.url, demo, program));
    const text = (await schema(client)).content[0].text;
    want(text.includes("slack") && !text.includes("gmail"), text);

    await stopOne(served.child);
    const lost = await schema(client).then((result) => result, (error) => error);
    want(lost instanceof Error, lost);
    const again = await startServe(binary, demo.rs_url, served.port, "--authorization-source", "slack");
    want(!(await schema(client)).isError, "the server is back, and it is not");

    await revoke(demo, program.held.access_token);
    const refused = await schema(client).then((result) => result, (error) => error);
    const next = refused instanceof Unauthorized ? refused : await schema(client).then((result) => result, (error) => error);
    want(next instanceof Unauthorized && program.asked === 2, `after the revocation: ${String(next)}; the owner was asked ${program.asked} times`);
    await client.close();
    await stopOne(again.child);
  });
}

// revoke ends the grant of a token, which the authority names.
async function revoke(demo, token) {
  const basic = Buffer.from(`${demo.introspection_client_id}:${demo.introspection_client_secret}`).toString("base64");
  const introspected = await fetch(demo.introspection_url, { method: "POST", headers: { Authorization: `Basic ${basic}` }, body: new URLSearchParams({ token }) });
  const { grant_id: grant } = await introspected.json();
  const revoked = await fetch(`${demo.as_url}/grants/${grant}/revoke`, { method: "POST", headers: { Authorization: `Bearer ${token}` } });
  want(revoked.status === 200, `the revocation was answered with ${revoked.status}`);
}

// heldBelow is the access token that a program wrote somewhere below a folder.
function heldBelow(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const token = entry.isFile() && /"access_token"\s*:\s*"([^"]+)"/.exec(readFileSync(join(entry.parentPath, entry.name), "utf8").replaceAll('\\"', '"'))?.[1];
    if (token) return token;
  }
  throw new Error("it wrote no access token");
}

// throughMcpRemote runs mcp-remote in a home of its own, in which no browser opens: the owner reads the address that it prints.
async function throughMcpRemote(demo, endpoint, decision, use) {
  const home = mkdtempSync(join(tmpdir(), "mcp-remote-"));
  const args = [installed("mcp-remote"), endpoint, "--transport", "http-only", "--allow-http"];
  const env = { ...process.env, HOME: home, MCP_REMOTE_CONFIG_DIR: home, PATH: nobrowser(home) + delimiter + process.env.PATH };
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "pipe" });
  const owner = answer(transport.stderr, demo, decision);
  try {
    await use(transport, owner, home);
  } finally {
    await transport.close();
    rmSync(home, { recursive: true, force: true });
  }
}

// nobrowser is a folder with a program that opens no browser.
function nobrowser(home) {
  const file = join(home, "xdg-open");
  writeFileSync(file, "#!/bin/sh\nexit 0\n");
  chmodSync(file, 0o755);
  return home;
}

// answer decides about the first authorization URL that a program prints. first resolves with whether it was approved, and again
// when it asks once more.
function answer(stream, demo, decision) {
  const seen = new Set();
  const owner = {};
  owner.again = new Promise((askedAgain) => {
    owner.first = new Promise((resolve, reject) => {
      createInterface({ input: stream }).on("line", async (line) => {
        const address = /https?:\/\/\S+code_challenge=\S+/.exec(line)?.[0];
        if (!address || seen.has(address)) return;
        seen.add(address);
        owner.asked = seen.size;
        if (seen.size > 1) return askedAgain();
        try {
          const back = await decide(demo, address, decision);
          if (back) await follow(back);
          resolve(Boolean(back));
        } catch (error) {
          reject(error);
        }
      });
    });
  });
  return owner;
}

async function mcpRemote(binary, demo, brief) {
  const newClient = () => new Client1({ name: "oauth", version: "1" });
  await throughMcpRemote(demo, demo.mcp_url, {}, (transport) => walk("mcp-remote, signed in", newClient(), transport, "2025-11-25"));
  await check("mcp-remote, sign-in: denied, and it does not connect", () =>
    throughMcpRemote(demo, demo.mcp_url, { deny: true }, async (transport, owner) => {
      let connected = false;
      newClient().connect(transport).then(() => (connected = true), () => {});
      want((await owner.first) === false && !connected, "it connects");
    }),
  );
  await check("mcp-remote, sign-in for one source: is renewed without the owner, and asks again when it is revoked", () =>
    throughMcpRemote(brief, brief.slack.url, {}, async (transport, owner, home) => {
      const client = newClient();
      await client.connect(transport);
      const first = heldBelow(home);
      for (let calls = 0; calls < 8; calls++) want(!(await schema(client)).isError, "a call is not answered"); // it renews ahead, and at most 20 times in 30 s
      want(heldBelow(home) !== first && owner.asked === 1, `it was not renewed, or asked ${owner.asked} times`);
      await revoke(brief, heldBelow(home));
      schema(client).catch(() => {}); // it waits for a browser that cannot come back: mcp-remote listens for its first sign-in alone
      await owner.again;
    }),
  );
  const served = await startServe(binary, demo.rs_url, 0, "--authorization-source", "slack");
  await check("mcp-remote, sign-in for one source: a lost network is an error that says so, and then over without the owner", () =>
    throughMcpRemote(demo, served.url, {}, async (transport, owner) => {
      const client = newClient();
      await client.connect(transport);
      want(!(await schema(client)).isError, "a call is not answered");
      await stopOne(served.child);
      const lost = await schema(client).then((result) => result, (error) => error);
      want(lost instanceof Error && sayLost.test(lost.message), `while it is lost: ${lost.message ?? JSON.stringify(lost)}`);
      const again = await startServe(binary, demo.rs_url, served.port, "--authorization-source", "slack");
      want(!(await schema(client)).isError && owner.asked === 1, `the server is back, and it is not, or asked ${owner.asked} times`);
      await stopOne(again.child);
    }),
  );
}

// sayLost is what a person reads while the network is lost, in the words of these clients.
const sayLost = /fetch failed|ECONNREFUSED|ECONNRESET|socket hang up|terminated|connection closed/i;

// newInspector is the Inspector's command line in a home of its own: it signs in once, and finds its tokens again at each start.
async function newInspector(of) {
  const home = mkdtempSync(join(tmpdir(), "inspector-"));
  const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
  const env = { ...process.env, HOME: home, MCP_AUTO_OPEN_ENABLED: "true", MCP_INSPECTOR_SECRET_STORE: "file", PATH: nobrowser(home) + delimiter + process.env.PATH };
  const run = (endpoint, decision, ...args) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [installed("mcp-inspector"), "--cli", endpoint, "--transport", "http", "--callback-url", callback, ...args], {
        env, stdio: ["ignore", "pipe", "pipe"],
      });
      const ended = { stdout: "", stderr: "", approved: undefined };
      child.stdout.on("data", (part) => (ended.stdout += part));
      child.stderr.on("data", (part) => (ended.stderr += part));
      answer(child.stderr, of, decision).first.then((approved) => {
        ended.approved = approved;
        if (!approved) child.kill("SIGTERM"); // it would wait for long
      }, reject);
      child.once("exit", (code) => resolve({ ...ended, code }));
    });
  const call = (endpoint, tool, args) => run(endpoint, {}, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args));
  return { home, run, call };
}

async function inspector(binary, demo, brief) {
  const { home, run, call } = await newInspector(demo);
  await check("inspector, sign-in: denied, and it gets nothing", async () => {
    const { code, stdout, approved } = await run(demo.mcp_url, { deny: true }, "--method", "tools/list");
    want(code !== 0 && approved === false && !stdout.includes("query_records"), stdout);
  });
  await check("inspector: signs in", async () => {
    const { code, stdout, stderr, approved } = await run(demo.mcp_url, {}, "--method", "tools/list");
    want(code === 0 && approved && stdout.includes("query_records"), `${code} ${stderr} ${stdout}`);
  });
  for (const [tool, args] of good) {
    await check(`inspector, signed in: ${tool} ${JSON.stringify(args)}`, async () => {
      const { code, stdout, stderr, approved } = await call(demo.mcp_url, tool, args);
      want(code === 0 && approved === undefined, `${code} ${approved} ${stderr} ${stdout}`);
    });
  }
  const other = await newInspector(brief);
  await check("inspector, sign-in for one source: is renewed without the owner, and asks again when it is revoked", async () => {
    const schema = () => other.call(brief.slack.url, "schema", {});
    const signed = await schema();
    want(signed.code === 0 && signed.approved, signed.stderr);
    const first = heldBelow(other.home);
    for (let calls = 0; calls < 20 && heldBelow(other.home) === first; calls++) {
      const { code, stderr, approved } = await schema();
      want(code === 0 && approved === undefined, `${code} ${approved} ${stderr}`);
    }
    want(heldBelow(other.home) !== first, "it was not renewed");
    await revoke(brief, heldBelow(other.home));
    const last = await schema();
    want(last.code === 0 && last.approved, `${last.code} ${last.approved} ${last.stderr}`);
  });
  const third = await newInspector(demo);
  await check("inspector, sign-in for one source: a lost network is an error that says so, and then over without the owner", async () => {
    const served = await startServe(binary, demo.rs_url, 0, "--authorization-source", "slack");
    const signed = await third.call(served.url, "schema", {});
    want(signed.code === 0 && signed.approved, signed.stderr);
    await stopOne(served.child);
    const lost = await third.call(served.url, "schema", {});
    want(lost.code !== 0 && sayLost.test(lost.stderr + lost.stdout), `${lost.code} ${lost.stderr} ${lost.stdout}`);
    const again = await startServe(binary, demo.rs_url, served.port, "--authorization-source", "slack");
    const back = await third.call(served.url, "schema", {});
    want(back.code === 0 && back.approved === undefined, `${back.code} ${back.approved} ${back.stderr}`);
    await stopOne(again.child);
  });
  for (const folder of [home, other.home, third.home]) rmSync(folder, { recursive: true, force: true });
}

export async function run(binary, demo) {
  const brief = await startDemo(binary, "--token-life", "2s");
  brief.slack = await startServe(binary, brief.rs_url, 0, "--authorization-source", "slack", "--token-rate", "0");
  for (const generation of generations) {
    let transport;
    await check(`${generation.name}: signs in at the demo`, async () => {
      transport = await signIn(generation, demo.mcp_url, demo, new Program());
    });
    if (transport) await walk(`${generation.name}, signed in`, generation.newClient(), transport, generation.version);
    await life(generation, binary, demo, brief);
  }
  await mcpRemote(binary, demo, brief);
  await inspector(binary, demo, brief);
}
