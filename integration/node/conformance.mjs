// Runs the official conformance suite, one revision of the specification after the other, and judges the scenarios that a
// server can pass without the suite's fixture tools, resources and prompts. The others are not counted.
//
//   node conformance.mjs BINARY
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { check, start, startDemo, stop, summary, want } from "./demo.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const suite = here("node_modules/@modelcontextprotocol/conformance/dist/index.js");

const scenarios = {
  "2025-11-25": ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams", "dns-rebinding-protection"],
  "2026-07-28": [
    "server-stateless",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
    "caching",
    "http-header-validation",
    "sep-2164-resource-not-found",
    "input-required-result-missing-input-response",
    "input-required-result-unsupported-methods",
    "input-required-result-ignore-extra-params",
    "input-required-result-validate-input",
  ],
};

// Single checks that fail for a reason which is not the server's.
const excused = [
  { id: /./, message: /^Not testable: server does not list the diagnostic tool/, reason: "needs a fixture tool" },
];

// conform runs the suite once and returns its checks by scenario.
async function conform(url, revision) {
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  try {
    await new Promise((resolve, reject) => {
      const args = [suite, "server", "--url", url, "--requirements", revision, "--output-dir", folder];
      // It exits with 1 when any scenario fails, which those with fixtures do.
      execFile(process.execPath, args, { timeout: 300_000, maxBuffer: 64 << 20 }, (error) => (error?.killed ? reject(error) : resolve()));
    });
    const results = {};
    for (const entry of await readdir(folder)) {
      const scenario = entry.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
      results[scenario] = JSON.parse(await readFile(join(folder, entry, "checks.json"), "utf8"));
    }
    return results;
  } finally {
    await rm(folder, { recursive: true });
  }
}

try {
  const demo = await startDemo(process.argv[2]);
  const { line: url } = await start(process.execPath, here("bearer-proxy.mjs"), demo.mcp_url, demo.client_token);
  for (const [revision, names] of Object.entries(scenarios)) {
    const results = await conform(url, revision);
    for (const name of names) {
      await check(`${revision} ${name}`, async () => {
        want(results[name], "the suite did not run it");
        const failures = results[name].filter(({ status }) => status === "FAILURE");
        for (const failure of failures) {
          const message = failure.errorMessage ?? "";
          const excuse = excused.find((one) => one.id.test(failure.id) && one.message.test(message));
          want(excuse, `${failure.id}: ${message}`);
          console.log(`      not counted: ${failure.id} (${excuse.reason})`);
        }
        want(failures.length < results[name].length || results[name].length === 0, "nothing of it was tested");
      });
    }
  }
} finally {
  await stop();
}
process.exit(summary());
