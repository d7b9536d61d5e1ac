package item

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

const maxURLChars = 2048

// addressNames are the fields that may have the public address of a record, best first.
var addressNames = []string{"url", "html_url", "web_url", "permalink", "source_url", "link"}

// citable reports whether a record's address may be a citation: http or https, no userinfo, at most 2,048 characters, and only characters
// that a line can have (D20).
func citable(address string) bool {
	if address == "" || clean.LongerThan(address, maxURLChars) || strings.ContainsFunc(address, func(c rune) bool { return !clean.Shows(c) || c <= ' ' || c == '"' || c == '<' || c == '>' }) {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// Address returns the best usable address among the record's, or "".
func Address(data rs.Object) string {
	address, _ := firstText(addressNames, nil, data, citable)
	return address
}

// RefusedAddress returns the best address of a record that has no usable one, or "".
func RefusedAddress(data rs.Object) string {
	address, _ := firstText(addressNames, nil, data, func(s string) bool { return clean.Preview(s, maxURLChars) != "" })
	return clean.Preview(address, maxURLChars)
}

// RecordURL returns the address of a record below base, which is never empty: the citation of last resort (D20).
func RecordURL(base string, ref rs.Ref) string {
	base = strings.TrimRight(base, "/")
	if ref.Stream == "" || ref.RecordID == "" {
		return base + "/v1/search"
	}
	address := base + "/v1/streams/" + url.PathEscape(ref.Stream) + "/records/" + url.PathEscape(ref.RecordID) +
		write.Lead("?connection_id=", url.QueryEscape(ref.ConnectionID))
	if clean.LongerThan(address, maxURLChars) {
		return base + "/v1/search"
	}
	return address
}

// The fields that may have the title of a record, and the time when its author made it, best first.
var (
	TitleNames = []string{"title", "subject", "name", "full_name", "headline", "filename", "file_name", "summary"}
	TimeNames  = []string{
		"authored_at", "sent_at", "published_at", "created_at", "received_at", "starts_at", "ordered_at", "reacted_at", "updated_at", "date", "timestamp",
	}
)

// firstText returns the first string under one of some names for which right is true, and its name. Earlier names come first; of one name,
// the member of own comes before that of data.
func firstText(names []string, own, data rs.Object, right func(string) bool) (text, name string) {
	best := len(names)
	for _, o := range [...]rs.Object{own, data} {
		for _, m := range o {
			n := slices.Index(names[:best], m.Name)
			if n < 0 || rs.Kind(m.Value) != "string" {
				continue
			}
			if value, _ := rs.AsText(m.Value); right(value) {
				best, text, name = n, value, m.Name
			}
		}
	}
	return text, name
}

// legible reports whether people can read a line as a title. It must say something and not just be an id for programs, such as a UUID, a
// long number or a pdpp address. A date is legible.
func legible(line string) bool {
	says := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.Is(unicode.So, c) }
	if !strings.ContainsFunc(line, says) || strings.HasPrefix(line, "pdpp://") {
		return false
	}
	const shortest = 12 // bytes of an id for programs
	if len(line) < shortest || write.Day(line) != "" || !strings.ContainsAny(line, "0123456789") {
		return true
	}
	return strings.Trim(line, "0123456789abcdefABCDEF-") != ""
}

// Repeats reports whether a title and a text are the same, or one is the truncated start or a part of the other.
func Repeats(title, text string) bool {
	const enough = 40 // runes that are not equal by chance
	if title == "" {
		return false
	}
	fold := func(s string) string { return strings.ToLower(marked.Quotable(s)) }
	t, s := fold(title), fold(text)
	switch cut := strings.HasSuffix(title, write.Ellipsis) || strings.HasSuffix(title, "..."); {
	case t == "" || s == "":
		return false
	case strings.HasPrefix(s, t):
		return t == s || cut || clean.LongerThan(t, enough)
	default:
		return strings.HasPrefix(t, s) || clean.LongerThan(s, enough) && strings.Contains(t, s)
	}
}

// Title returns the first legible title, in a record itself or in its data, for which right is true; "" for none.
func Title(own, data rs.Object, right func(title string) bool) string {
	title, _ := firstText(TitleNames, own, data, func(s string) bool {
		title := marked.Strip(s)
		return legible(clean.Preview(title, write.TitleChars)) && right(title)
	})
	return marked.Strip(title)
}

// Brief describes a record without a title by its first short values, and numbers with their names; "" if it has none. It skips ids and
// times, which do not tell what a record is.
func Brief(data rs.Object) string {
	const most, chars = 3, 40
	var values []string
	for _, m := range data {
		text, _ := rs.AsText(m.Value)
		name := strings.ToLower(m.Name)
		switch kind := rs.Kind(m.Value); {
		case name == "id" || strings.HasSuffix(name, "_id"), write.Day(text) != "", clean.LongerThan(text, chars), len(values) == most:
		case kind == "string" && legible(text):
			values = append(values, text)
		case kind == "number":
			values = append(values, m.Name+" "+text)
		}
	}
	return strings.Join(values, ", ")
}

// LastChange returns the name of a field if it is that of a last change, such as updated_at, else "". Part of a long text may be older than
// its last change.
func LastChange(field string) string {
	changed := func(part string) bool { return strings.Contains(strings.ToLower(field), part) }
	isChange := slices.ContainsFunc([]string{"updat", "modif", "edit", "chang", "mtime", "last_"}, changed)
	return write.When(isChange, clean.Name(write.Label(field)))
}

// Time returns the best timestamp of own or data, and its field: the author's before a server's, wherever they are.
func Time(own, data rs.Object) (time, field string) {
	time, field = firstText(TimeNames, own, data, func(s string) bool { return write.Day(s) != "" })
	if field == "authored_at" {
		field = own.Text("authored_field")
	}
	return clean.Preview(time, 40), field
}
