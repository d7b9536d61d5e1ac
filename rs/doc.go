// Package rs speaks the PDPP resource server's REST contract and nothing else: requests, identifiers,
// errors, the schema document, who is calling. It knows nothing of MCP.
package rs
