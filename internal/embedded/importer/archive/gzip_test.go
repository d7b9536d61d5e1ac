package archive

import (
	"io"
	"strings"
	"testing"
)

func TestALimitedReaderEndsInAnError(t *testing.T) {
	for text, whole := range map[string]bool{"four": true, "fives": false} {
		got, err := io.ReadAll(&limited{io.NopCloser(strings.NewReader(text)), 5})
		if string(got) != text || (err == nil) != whole {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
