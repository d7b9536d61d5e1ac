package utf8text

import (
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	utf16 "golang.org/x/text/encoding/unicode"
)

// A line that is longer than the sample is read in pieces, which may end within a character.
func TestDecodeOfALineLongerThanTheSample(t *testing.T) {
	for name, test := range map[string]struct {
		text    string
		charset encoding.Encoding
	}{
		"Russian UTF-8":  {"Привет, как твои дела сегодня? ", utf16.UTF8},
		"Chinese UTF-8":  {"今天的天气非常好我们去公园散步吧，", utf16.UTF8},
		"German UTF-8":   {"für über schöne Grüße, ", utf16.UTF8},
		"Japanese UTF-8": {"こんにちは、今日はいい天気ですね。", utf16.UTF8},
		"Polish UTF-8":   {"zażółć gęślą jaźń, ", utf16.UTF8},
		"Shift JIS":      {"こんにちは、今日はいい天気ですね。", japanese.ShiftJIS},
		"GB18030":        {"今天的天气非常好我们去公园散步吧，", simplifiedchinese.GB18030},
		"Windows-1251":   {"Привет, как твои дела сегодня? ", charmap.Windows1251},
	} {
		for _, before := range []string{"", "a", "ab", "abc"} {
			want := before + strings.Repeat(test.text, 6000)
			file, err := test.charset.NewEncoder().String(want)
			if err != nil {
				t.Fatal(err)
			}
			reader, err := Decode(strings.NewReader(file), true)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(reader); err != nil || string(got) != want {
				t.Errorf("%s after %q: got %.60q, %v", name, before, got, err)
			}
			if got := Mend(file); got != want {
				t.Errorf("%s after %q: mended to %.60q", name, before, got)
			}
		}
	}
}
