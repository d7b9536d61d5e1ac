package rs

// A Scope is what a call touches, so far as its arguments say.
type Scope struct {
	Stream       string
	RecordID     string
	ConnectionID string
	// Expands is set when the call asks for related records, by expand or by expand_limit alone (S4-R5).
	Expands bool
}
