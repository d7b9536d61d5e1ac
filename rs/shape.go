package rs

import "fmt"

// What an answer may be made of, whatever its size in bytes: reading costs by the value and by the level.
const (
	// MaxDepth is how many arrays and objects may stand inside one another.
	MaxDepth = 256
	// MaxValues is how many values, names and brackets an answer may have.
	MaxValues = 1 << 20
)

// checkShape bounds valid JSON in one pass over its bytes. Its errors are InvalidResponse and ResponseTooLarge.
func checkShape(body []byte) *Error {
	depth, values := 0, 0
	inText := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inText:
			switch c {
			case '\\':
				i++
			case '"':
				inText = false
			}
		case c == '"':
			inText = true
		case c == '[' || c == '{':
			values++
			if depth++; depth > MaxDepth {
				return &Error{
					Code: InvalidResponse, Message: fmt.Sprintf("The resource server's answer has arrays and objects more than %d deep.", MaxDepth),
					Hint: "Ask for other fields or records; if it persists, tell the operator of the resource server.",
				}
			}
		case c == ']' || c == '}':
			depth--
		case c == ',' || c == ':':
			values++
		}
	}
	if values > MaxValues {
		return &Error{
			Code: ResponseTooLarge, Message: fmt.Sprintf("The resource server's answer has more than %d values.", MaxValues),
			Hint: "Ask for less: a smaller limit, fewer fields, or one connection.",
		}
	}
	return nil
}
