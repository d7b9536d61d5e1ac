// Package terminal lets a person at a terminal do what a model does: see the tools, call one, and read what comes back.
// It is an MCP client in this process, so that a call takes the way that every call takes.
package terminal
