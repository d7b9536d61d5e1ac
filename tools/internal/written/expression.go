package written

import (
	"regexp"
	"sync"
)

// Expression returns a regular expression that is compiled at its first use, so that the start of the program does not wait for it.
func Expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
