// Package transport mounts the tools on what carries MCP: Streamable HTTP behind the HTTP chain, or stdio. It holds no
// policy; package web decides who may enter, and package middleware what is done.
package transport
