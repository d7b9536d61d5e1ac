// Package cite checks quotations: whether a record still holds the text that was quoted from it. It reads as an MCP client,
// with the tools that a model has.
package cite
