// Package middleware is the call pipeline: the middlewares that every tool call passes, over HTTP and over stdio, composed as
// alice composes those of HTTP. [Standard] is their order. The HTTP chain, which a request passes before, is package
// web.
package middleware
