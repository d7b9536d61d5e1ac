// Package transport mounts the tools on what carries MCP: Streamable HTTP behind the HTTP chain, or stdio. It holds no
// policy; who may enter is in package middleware, what is done in the call pipeline.
package transport
