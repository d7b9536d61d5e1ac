// Package clients knows what each MCP host's configuration looks like and edits it: which file, in which format, under
// which key. It imports nothing of the server. Edits are splices of the text: what a person wrote, comments and spacing
// included, stays as it is.
package clients
