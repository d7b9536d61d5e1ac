// Package rs speaks the PDPP resource server's REST contract and nothing else: requests, identifiers,
// errors, the schema document, and a client with breakers and retries. It knows nothing of MCP. Who is calling is asked in rs/auth;
// what reads a package of grants as one is rs/fanout.
package rs
