// Package authority is the embedded authorization server: which token grants what, what introspection (RFC 7662) says of a token, and
// which members a package of grants has.
package authority
