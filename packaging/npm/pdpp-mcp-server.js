#!/usr/bin/env node
// Starts pdpp-mcp. Without a command it is the stdio server, so that settings which name only flags work as they are.
"use strict";

const [first] = process.argv.slice(2);
if (first === undefined || (first.startsWith("-") && !["--help", "-h", "--version"].includes(first))) process.argv.splice(2, 0, "stdio");
require("./pdpp-mcp.js");
