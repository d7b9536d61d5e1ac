// Package setup connects a client of this machine to the adapter, or says how a person does it: what setup prints and the
// files that it edits. What clients there are and what their files look like stands in package clients.
package setup
