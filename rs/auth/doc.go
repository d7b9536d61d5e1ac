// Package auth says who is calling: it asks an authority about a token, and remembers the answer for a short while. A [Principal] that
// comes of it may read, or says why it may not.
package auth
