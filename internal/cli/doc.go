// Package cli is what can be typed: the commands of the program, each in a file of its own, and what they print. A command
// that calls tools does so as an MCP client in this process, so that its calls pass the pipeline that every call passes.
package cli
