package archive

import (
	"io"
	"strings"
	"testing"
)

func TestAnUnpackedFileThatIsTooLargeEndsInAnError(t *testing.T) {
	for text, whole := range map[string]bool{"four": true, "fives": false} {
		got, err := io.ReadAll(&unpacked{ReadCloser: io.NopCloser(strings.NewReader(text)), left: 5})
		if string(got) != text || (err == nil) != whole {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
