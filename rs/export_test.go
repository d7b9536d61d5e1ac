package rs

// Exported for the tests of this folder.
const (
	Redacted = redacted
)

var ReadSchema = readSchema
