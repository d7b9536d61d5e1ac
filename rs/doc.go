// Package rs is the PDPP resource server's REST contract and nothing else: requests, answers, identifiers, errors and the schema
// document. It knows nothing of MCP. rs/rsclient makes the reads, rs/auth asks who is calling, and rs/fanout reads a package of
// grants as one.
package rs
