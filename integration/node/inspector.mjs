// The MCP Inspector's command line: another client, and a judge of how portable the tool schemas are.
import { execFile } from "node:child_process";
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
  await check(`${name}: lists six tools, and finds their schemas portable`, async () => {
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
}
