// Package embedded is an embedded resource server for trying things out: a person's data in SQLite, the reads of the PDPP
// REST contract over it, and the authorization server's part that those reads need (introspection and the directory
// of packages), all at one origin. Package importer reads a person's data from files, and package sample holds the
// files of an invented person. Everything is kept within the grant of the token that asks.
//
// It is not a reference for servers: it takes no writes and issues no grants.
package embedded
