// Package utf8text converts text in any charset to UTF-8.
package utf8text

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	utf16 "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Mend returns a text as valid UTF-8. A text with more valid characters beyond ASCII than invalid bytes is damaged UTF-8: the invalid bytes
// become U+FFFD. Any other is decoded from the charset that [Guess] finds or, if it finds none, from Windows-1252.
func Mend(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	good, bad, first := 0, 0, -1
	for at := 0; at < len(text); {
		one, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case one == utf8.RuneError && size == 1:
			bad++
			if first < 0 {
				first = max(at-1, 0)
			}
		case size > 1:
			good++
		}
		at += size
	}
	var charset encoding.Encoding = charmap.Windows1252
	if guessed := Guess([]byte(text[first:min(len(text), first+sampleBytes)])); guessed != nil {
		charset = guessed
	}
	decoded, err := charset.NewDecoder().String(text)
	if good > bad || err != nil {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	return decoded
}

// maxShown is the maximum length of a text in a report, in characters.
const maxShown = 80

// OneLine makes a text one line of at most maxShown characters for a report, truncated at a space if it has one.
func OneLine(text string) string {
	characters := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " "))
	if len(characters) <= maxShown {
		return string(characters)
	}
	cut := string(characters[:maxShown])
	if space := strings.LastIndexByte(cut, ' '); space > 0 {
		cut = cut[:space]
	}
	return cut + "…"
}

// FirstLine returns the first line that is not empty.
func FirstLine(start []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimLeft(start, "\r\n"), []byte("\n"))
	return bytes.TrimRight(line, "\r")
}

// sampleBytes is how many bytes of a text are examined to determine its charset.
const sampleBytes = 64 << 10

// UTF16 returns the encoding of a text in UTF-16, recognized by a byte order mark or by where its zero bytes are; nil: another encoding.
func UTF16(start []byte) encoding.Encoding {
	if bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) {
		return utf16.UTF16(utf16.LittleEndian, utf16.ExpectBOM)
	}
	var zeros [2]int // at even and at odd places
	for at, one := range start {
		if one == 0 {
			zeros[at%2]++
		}
	}
	switch most := len(start) / 2 * 7 / 10; {
	case len(start) < 8:
	case zeros[1] > most && zeros[0] == 0:
		return utf16.UTF16(utf16.LittleEndian, utf16.IgnoreBOM)
	case zeros[0] > most && zeros[1] == 0:
		return utf16.UTF16(utf16.BigEndian, utf16.IgnoreBOM)
	}
	return nil
}

// Start decodes the first bytes of a file, which may end within a character, and removes a byte order mark.
func Start(start []byte) []byte {
	if charset := UTF16(start); charset != nil {
		if decoded, err := charset.NewDecoder().Bytes(start[:len(start)&^1]); err == nil {
			start = decoded
		}
	}
	return bytes.TrimPrefix(start, []byte("\xef\xbb\xbf"))
}

// Decode returns the file as UTF-8 if it is in UTF-16 or, with sniff, if most of its text beyond ASCII is in a charset that [Guess] finds.
// It returns other files unchanged, such as those in Windows-1252, for [Mend]. It reads the file once at most, and seeks to its start.
func Decode(file io.ReadSeeker, sniff bool) (io.ReadSeeker, error) {
	input := bufio.NewReaderSize(file, sampleBytes)
	start, _ := input.Peek(4096)
	charset := UTF16(start)
	var sample, rest []byte // rest is of a character that a piece of a long line ends within
	for good, isEnd := 0, false; sniff && charset == nil && !isEnd; {
		line, err := input.ReadSlice('\n')
		if rest != nil {
			line, rest = slices.Concat(rest, line), nil
		}
		if whole := wholeCharacters(line); errors.Is(err, bufio.ErrBufferFull) && len(whole) < len(line) {
			line, rest = whole, bytes.Clone(line[len(whole):])
		}
		if plain := !slices.ContainsFunc(line, func(one byte) bool { return one >= utf8.RuneSelf }); !plain && utf8.Valid(line) {
			good += len(line)
		} else if !plain {
			sample = append(sample, line...)
		}
		isEnd = err != nil && !errors.Is(err, bufio.ErrBufferFull) || len(sample) >= sampleBytes
		if isEnd && good < len(sample) {
			charset = Guess(sample)
		}
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil || charset == nil {
		return file, err
	}
	return &decoded{file, charset, transform.NewReader(file, charset.NewDecoder())}, nil
}

// wholeCharacters returns a text without a character of UTF-8 at its end that is not complete.
func wholeCharacters(text []byte) []byte {
	for at := len(text) - 1; at >= 0 && at > len(text)-utf8.UTFMax; at-- {
		if utf8.RuneStart(text[at]) && !utf8.FullRune(text[at:]) {
			return text[:at]
		}
	}
	return text
}

type decoded struct {
	file    io.ReadSeeker
	charset encoding.Encoding
	io.Reader
}

// Seek goes back to the beginning. Any other seek is an error.
func (d *decoded) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart {
		return 0, errors.New("a text in another charset than UTF-8 can be read from its beginning only")
	}
	_, err := d.file.Seek(0, io.SeekStart)
	d.Reader = transform.NewReader(d.file, d.charset.NewDecoder())
	return 0, err
}

// western has the letters beyond ASCII of Western European languages.
const western = "äöüß àâçéèêëîïôöùûüÿœæ áéíñóúü àáâãçéêíóôõúü àèéìîòùí äåöéæøü áæéíðóöþúý áéèêëïóöüĳ"

// alphabets has the letters beyond ASCII of languages, by their charset. The last one, of old Macs, applies only to texts in which lines
// end with CR alone.
var alphabets = [...]struct {
	charset   encoding.Encoding
	languages string
}{
	{charmap.Windows1252, western},
	{charmap.Windows1250, "ąćęłńóśźż áčďéěíňóřšťúůýžöü áäčďéíĺľňóôŕšťúýž áéíóöőúüű ăâîşţ čćđšž"},
	{charmap.Windows1254, "çğıİöşüâîû"},
	{charmap.Macintosh, western},
}

// scripts has the charsets of scripts other than Latin, the most reliable first: isOften reports a character that is frequent in texts in
// the charset, and least is the minimum share of these among the letters.
var scripts = [...]struct {
	charset encoding.Encoding
	isOften func(before, one rune) bool
	least   float64
}{
	{japanese.ShiftJIS, func(_, one rune) bool { return one > 0x3000 && one < 0x3100 }, 0.1}, // kana
	{japanese.ShiftJIS, isOften(0x88, 0x97, japanese.ShiftJIS), 0.7},
	{charmap.Windows1251, isCyrillic, 0.95},
	{charmap.KOI8R, isCyrillic, 0.95},
	{korean.EUCKR, func(_, one rune) bool { return unicode.Is(unicode.Hangul, one) }, 0.9},
	{simplifiedchinese.GB18030, isOften(0xb0, 0xd7, simplifiedchinese.GBK), 0.7},
	{traditionalchinese.Big5, isOften(0xa4, 0xc6, traditionalchinese.Big5), 0.7},
}

// isCyrillic reports a Cyrillic letter, except a capital after a small letter.
func isCyrillic(before, one rune) bool {
	return unicode.Is(unicode.Cyrillic, one) && (!unicode.IsUpper(one) || !unicode.IsLower(before))
}

// Guess returns the charset of a text that is not UTF-8, by the letters that it would have, or nil for Windows-1252 or an unknown charset.
func Guess(text []byte) encoding.Encoding {
	for _, one := range scripts {
		if share(text, one.charset, one.isOften) >= one.least {
			return one.charset
		}
	}
	return guessAlphabet(text)
}

// share returns the share of the letters beyond ASCII that are frequent and not next to an ASCII letter, or 0 if the text is not valid in
// the charset.
func share(text []byte, charset encoding.Encoding, isOften func(before, one rune) bool) float64 {
	decoded, err := charset.NewDecoder().Bytes(text)
	if err != nil {
		return 0
	}
	all, good := 0, 0
	characters := append(append([]rune{' '}, []rune(string(decoded))...), ' ')
	for at := 1; at < len(characters)-1; at++ {
		switch before, one := characters[at-1], characters[at]; {
		case one == utf8.RuneError && at == len(characters)-2 && len(text) >= sampleBytes: // a sample may end within a character
		case one == utf8.RuneError:
			return 0
		case one < utf8.RuneSelf:
		case isOften(before, one) && !isLatin(before) && !isLatin(characters[at+1]):
			if before >= utf8.RuneSelf || characters[at+1] >= utf8.RuneSelf { // ignore a single one: it may be anything
				good++
				all++
			}
		case unicode.IsLetter(one):
			all++
		}
	}
	return float64(good) / float64(max(all, 1))
}

func isLatin(one rune) bool { return one < utf8.RuneSelf && unicode.IsLetter(one) }

// isOften returns a function that reports characters whose first byte is in the range of the frequent ones in a charset.
func isOften(first, last byte, charset encoding.Encoding) func(before, one rune) bool {
	encoder := charset.NewEncoder()
	return func(_, one rune) bool {
		code, err := encoder.String(string(one))
		return err == nil && len(code) == 2 && code[0] >= first && code[0] <= last
	}
}

// guessAlphabet returns the charset in which the letters fit best to one language, or nil for Windows-1252.
func guessAlphabet(text []byte) encoding.Encoding {
	var best encoding.Encoding
	most := -1.0
	for index, one := range alphabets {
		decoded, err := one.charset.NewDecoder().Bytes(text)
		if err != nil || one.charset == charmap.Macintosh && (bytes.IndexByte(text, '\r') < 0 || bytes.IndexByte(text, '\n') >= 0) {
			continue
		}
		runes := []rune(string(decoded))
		for language := range strings.FieldsSeq(one.languages) {
			good, bad := 0, 0
			for at, letter := range runes {
				switch {
				case letter < utf8.RuneSelf:
				case strings.ContainsRune(language, letter), strings.ContainsRune(language, unicode.ToLower(letter)):
					good++
				case unicode.IsLetter(letter), at > 0 && at+1 < len(runes) && unicode.IsLetter(runes[at-1]) && unicode.IsLetter(runes[at+1]) &&
					!unicode.IsPunct(letter):
					bad++
				}
			}
			if score := float64(good) / float64(max(good+bad, 1)); score > most || score == most && one.charset == charmap.Macintosh {
				if most, best = score, nil; index > 0 {
					best = one.charset
				}
			}
		}
	}
	return best
}
