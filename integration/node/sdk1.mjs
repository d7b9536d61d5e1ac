// The first generation of the TypeScript SDK, which most hosts still use: it speaks 2025-11-25.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { walk } from "./sdk.mjs";

const version = "2025-11-25";
const newClient = () => new Client({ name: "clients", version: "1" });

export async function run(binary, demo) {
  const headers = { Authorization: `Bearer ${demo.client_token}` };
  await walk("sdk 1 over HTTP", newClient(), new StreamableHTTPClientTransport(new URL(demo.mcp_url), { requestInit: { headers } }), version);
  await walk("sdk 1 over stdio", newClient(), new StdioClientTransport({ command: binary, args: ["stdio", "--demo"] }), version);
}

const mcpRemote = fileURLToPath(new URL("node_modules/.bin/mcp-remote", import.meta.url));

// mcp-remote stands between a host that starts programs and a server that it reaches over HTTP.
export async function runThroughMcpRemote(demo) {
  const folder = mkdtempSync(join(tmpdir(), "mcp-remote-"));
  try {
    const args = [mcpRemote, demo.mcp_url, "--transport", "http-only", "--allow-http", "--header", "Authorization:${PDPP_BEARER}"];
    const env = { ...process.env, MCP_REMOTE_CONFIG_DIR: folder, PDPP_BEARER: `Bearer ${demo.client_token}` };
    await walk("mcp-remote to HTTP", newClient(), new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }), version);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
