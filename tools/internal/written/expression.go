package written

import (
	"regexp"
	"sync"
)

// Expression returns a regular expression that is compiled at its first use, so that the start of the program does not wait for it.
// It is not inlined, because each place would have a copy of what compiles it.
//
//go:noinline
func Expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
