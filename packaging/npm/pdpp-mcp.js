#!/usr/bin/env node
// Starts the program that npm installed for this machine as an optional dependency, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");

const wanted = `${require("../package.json").name}-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${wanted}/bin/pdpp-mcp${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`pdpp-mcp: the package ${wanted} is not installed. Install again without --omit=optional, on a machine that the releases are built for.`);
  process.exit(69);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
// Ctrl-C reaches the program by itself; it must not be sent twice.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`pdpp-mcp: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
