// Package web is the HTTP chain: the net/http middlewares that a request passes before the call pipeline, which is package
// middleware. They decide who may enter; see [ChainOptions.AuthenticatedChain].
package web
