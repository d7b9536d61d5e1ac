package clean

import (
	"testing"
)

const scotland = "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"

// D19: tag characters are shown only inside an emoji flag.
func TestTagCharactersAreOnlyAllowedInFlags(t *testing.T) {
	for name, row := range map[string]struct{ in, want string }{
		"a flag is kept completely":              {"go " + scotland + "!", "go " + scotland + "!"},
		"two flags in a row are kept":            {scotland + scotland, scotland + scotland},
		"tags after plain text are dropped":      {"a\U000E0067\U000E007F", "a"},
		"tags without an end are dropped":        {"\U0001F3F4\U000E0067\U000E0062 x", "\U0001F3F4 x"},
		"a black flag alone is kept":             {"\U0001F3F4", "\U0001F3F4"},
		"a long hidden message is not a flag":    {"\U0001F3F4" + hidden(40) + "\U000E007F", "\U0001F3F4"},
		"a cancel tag alone after it is dropped": {"\U0001F3F4\U000E007F", "\U0001F3F4"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Line(row.in); got != row.want {
				t.Errorf("oneLine = %q, want %q", got, row.want)
			}
			if got := Lines(row.in); got != row.want {
				t.Errorf("manyLines = %q, want %q", got, row.want)
			}
		})
	}
}

func hidden(n int) string {
	text := ""
	for range n {
		text += "\U000E0061"
	}
	return text
}
