// Package clients knows the configuration of each MCP client and edits it: which file, in which format, under which key. It
// imports nothing of the server. An edit changes one entry; everything else in the file, comments and spacing included,
// stays as it is.
package clients
