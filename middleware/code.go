package middleware

import "github.com/pdp-connect/pdpp-mcp/rs"

// otherCode is what metrics and traces show of every code that is not [rs.Code.Known].
const otherCode = "other"

// BoundedCode is a code as metrics and traces show it: a known one under its name, all others as otherCode.
func BoundedCode(code rs.Code) string {
	if code == Good || code.Known() {
		return string(code)
	}
	return otherCode
}
