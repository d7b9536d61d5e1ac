package rs

import "fmt"

// What an answer may be made of, whatever its size in bytes: reading costs by the value and by the level.
const (
	// MaxDepth is how many arrays and objects may stand inside one another.
	MaxDepth = 256
	// MaxValues is how many values, names and brackets an answer may have.
	MaxValues = 1 << 20
)

// A shape is what a pass over a JSON text has met.
type shape struct {
	levels int // of arrays and objects inside one another
	values int // values in brackets, names and brackets

	uncommon bool // a string holds a character that [PlainRun] stops at, or an escape that may stand for one
}

// check bounds the shape of JSON. Its errors are InvalidResponse and ResponseTooLarge.
func (s shape) check() *Error {
	switch {
	case s.levels > MaxDepth:
		return &Error{
			Code: InvalidResponse, Message: fmt.Sprintf("The resource server's answer has arrays and objects more than %d deep.", MaxDepth),
			Hint: "Ask for other fields or records; if it persists, tell the operator of the resource server.",
		}
	case s.values > MaxValues:
		return &Error{
			Code: ResponseTooLarge, Message: fmt.Sprintf("The resource server's answer has more than %d values.", MaxValues),
			Hint: "Ask for less: a smaller limit, fewer fields, or one connection.",
		}
	}
	return nil
}
