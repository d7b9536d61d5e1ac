// Runs real MCP clients against the built program, over HTTP and over stdio.
//
//   node clients.mjs BINARY
import { startDemo, stop, summary } from "./demo.mjs";
import { run as inspector } from "./inspector.mjs";
import { run as oauth } from "./oauth.mjs";
import { runThroughMcpRemote, run as sdk1 } from "./sdk1.mjs";
import { run as sdk2 } from "./sdk2.mjs";

const binary = process.argv[2];
try {
  const demo = await startDemo(binary);
  await sdk1(binary, demo);
  await sdk2(binary, demo);
  await runThroughMcpRemote(demo);
  await inspector(binary, demo);
  await oauth(binary, demo);
} finally {
  await stop();
}
process.exit(summary());
