// Package middleware holds every stage that a request or a call passes: the door (net/http middleware, composed
// with alice) decides who may enter, the room (call middleware, composed with [Chain]) decides what is done.
//
// [Standard] is the room's order, once.
package middleware
