package rs

// What the tests of this folder use.
const (
	Redacted = redacted
)

var ReadSchema = readSchema
