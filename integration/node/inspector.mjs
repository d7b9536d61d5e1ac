// The MCP Inspector's command line: another client, and a judge of how portable the tool schemas are.
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { bad, good, listed } from "./calls.mjs";
import { check, want } from "./demo.mjs";

const inspector = fileURLToPath(new URL("node_modules/.bin/mcp-inspector", import.meta.url));

// inspect runs the Inspector once; it resolves with its exit code and output.
function inspect(...args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [inspector, "--cli", ...args], { timeout: 60_000, maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    );
  });
}

// What the Inspector exits with when a tool's result is an error.
const toolError = 5;

async function walk(name, ...server) {
  await check(`${name}: lists the tools, and finds their schemas portable`, async () => {
    const { code, stdout, stderr } = await inspect(...server, "--method", "tools/list", "--strict");
    want(code === 0, `${code} ${stderr}`);
    const names = JSON.parse(stdout).tools.map((tool) => tool.name);
    want(names.sort().join() === listed.join(), names);
    want(!/warning|problem|issue/i.test(stderr), stderr);
  });
  for (const [tool, args] of good) {
    await check(`${name}: ${tool} ${JSON.stringify(args)}`, async () => {
      const { code, stdout, stderr } = await inspect(...server, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args));
      want(code === 0, `${code} ${stderr} ${stdout}`);
      const result = JSON.parse(stdout);
      want(!result.isError && result.content[0].type === "text" && result.structuredContent, stdout);
    });
  }
  const [tool, args, errorCode] = bad[4];
  await check(`${name}: ${tool} ${JSON.stringify(args)} is ${errorCode}`, async () => {
    const { code, stdout, stderr } = await inspect(...server, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args));
    want(code === toolError, `${code} ${stderr}`);
    const result = JSON.parse(stdout);
    want(result.isError && result.structuredContent.error.code === errorCode, stdout);
  });
  await check(`${name}: reads a resource`, async () => {
    const { code, stdout, stderr } = await inspect(...server, "--method", "resources/read", "--uri", "pdpp://streams");
    want(code === 0, `${code} ${stderr}`);
    want(JSON.parse(JSON.parse(stdout).contents[0].text).data, stdout);
  });
  await check(`${name}: lists resource templates`, async () => {
    const { code, stdout, stderr } = await inspect(...server, "--method", "resources/templates/list");
    want(code === 0, `${code} ${stderr}`);
    want(JSON.parse(stdout).resourceTemplates.length > 0, stdout);
  });
}

export async function run(binary, demo) {
  for (const era of ["legacy", "modern"]) {
    await walk(`inspector over HTTP, ${era} era`, demo.mcp_url, "--transport", "http", "--protocol-era", era, "--header", `Authorization: Bearer ${demo.client_token}`);
  }
  await walk("inspector over stdio", binary, "stdio", "--demo");
  for (const [client, file] of [["claude-code", ".claude.json"], ["cursor", ".cursor/mcp.json"]]) await ownFiles(binary, client, file);
}

// ownFiles reads all records of a folder through what setup wrote for a client; each call starts the program anew.
async function ownFiles(binary, client, file) {
  const home = mkdtempSync(join(tmpdir(), "inspector-"));
  const rows = Array.from({ length: 250 }, (_, i) => `order-${i},2026-05-01T10:00:00Z,${i}`);
  writeFileSync(join(home, "orders.csv"), ["id,ordered_at,amount", ...rows, ""].join("\n"));
  const before = process.env.HOME;
  process.env.HOME = home;
  await check(`inspector, as setup --data wrote it for ${client}: reads every record, page after page`, async () => {
    execFileSync(binary, ["setup", client, "--data", join(home, "orders.csv"), "--write"], { stdio: "pipe" });
    const read = new Set();
    for (let args = { stream: "orders", limit: 100 }; args; ) {
      const { code, stdout, stderr } = await inspect("--config", join(home, file), "--server", "pdpp", "--method", "tools/call",
        "--tool-name", "query_records", "--tool-args-json", JSON.stringify(args));
      want(code === 0, `${code} ${stderr} ${stdout}`);
      const page = JSON.parse(stdout).structuredContent.data;
      for (const record of page.data) read.add(record.id);
      args = page.has_more ? { ...args, cursor: page.next_cursor } : null;
      want(read.size <= rows.length, `${read.size} records`);
    }
    want(read.size === rows.length, `${read.size} of ${rows.length} records`);
  });
  process.env.HOME = before;
  rmSync(home, { recursive: true, force: true });
}
