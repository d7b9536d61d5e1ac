// The first generation of the TypeScript SDK, which most hosts still use: it speaks 2025-11-25.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { walk } from "./sdk.mjs";

const version = "2025-11-25";
const newClient = () => new Client({ name: "clients", version: "1" });

export async function run(binary, demo) {
  const headers = { Authorization: `Bearer ${demo.client_token}` };
  await walk("sdk 1 over HTTP", newClient(), new StreamableHTTPClientTransport(new URL(demo.mcp_url), { requestInit: { headers } }), version);
  await walk("sdk 1 over stdio", newClient(), new StdioClientTransport({ command: binary, args: ["stdio", "--demo"] }), version);
}
