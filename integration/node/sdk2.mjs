// The second generation of the TypeScript SDK: it finds out which era of the protocol a server speaks.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { walk } from "./sdk.mjs";

const newClient = () => new Client({ name: "clients", version: "1" }, { versionNegotiation: { mode: "auto" } });

export async function run(binary, demo) {
  const headers = { Authorization: `Bearer ${demo.client_token}` };
  await walk("client 2 over HTTP", newClient(), new StreamableHTTPClientTransport(new URL(demo.mcp_url), { requestInit: { headers } }), "2026-07-28");
  await walk("client 2 over stdio", newClient(), new StdioClientTransport({ command: binary, args: ["stdio", "--demo"] }), "2026-07-28");
}
