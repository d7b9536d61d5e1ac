package clients

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// A jsonFile is the text of a file, its syntax tree and its values. Edits change hujson's syntax tree, which packs to the bytes that it was
// parsed from. Its Patch and Format are not used: Patch drops the comments above a removed member and adds without line breaks, and Format
// indents the whole file again.
type jsonFile struct {
	text   string
	root   *hujson.Value
	values map[string]any
}

func parseJSON(text string) (document, error) { return parseCommented(text, false) }

// parseJSONC reads JSON with comments and trailing commas.
func parseJSONC(text string) (document, error) { return parseCommented(text, true) }

// parseCommented parses a file. A file without a value, empty or of comments only, counts as an empty object.
func parseCommented(text string, comments bool) (document, error) {
	if isDeep(text) {
		return nil, refused("the file is not valid JSON, or has comments and more than %d arrays and objects: fix it first", maxNested)
	}
	root, err := hujson.Parse([]byte(text))
	if err != nil {
		head := strings.TrimRight(text, " \t\r\n")
		if head != "" {
			head += "\n"
		}
		head += "{}\n"
		if blank, failed := hujson.Parse([]byte(head)); failed == nil {
			root, text, err = blank, head, nil
		}
	}
	if err == nil && !comments && !root.IsStandard() {
		return nil, refused("the file holds comments or trailing commas, which the client itself cannot read: fix it first")
	}
	var tree any
	if err == nil {
		tree, err = decodeValue(root)
	}
	if err != nil {
		return nil, refused("the file is not valid JSON (%s): fix it first", where(err))
	}
	values, ok := tree.(map[string]any)
	if !ok {
		return nil, refused("the file does not hold a JSON object")
	}
	return &jsonFile{text, &root, values}, nil
}

// maxNested limits how deeply arrays and objects may be nested: hujson recurses.
const maxNested = 100_000

// isDeep reports whether parsing a file with hujson could exhaust the stack. encoding/json has its own limit.
func isDeep(text string) bool {
	return strings.Count(text, "[")+strings.Count(text, "{") > maxNested && !json.Valid([]byte(text))
}

// where returns the position of a syntax error. It omits the text there, which may be a credential.
func where(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too early"
	}
	return cmp.Or(regexp.MustCompile(`line \d+, column \d+`).FindString(err.Error()), "position unknown")
}

// decodeValue decodes a value with comments. Numbers keep their digits.
func decodeValue(value hujson.Value) (tree any, err error) {
	standard := value.Clone()
	standard.Standardize()
	decoder := json.NewDecoder(strings.NewReader(standard.String()))
	decoder.UseNumber()
	return tree, decoder.Decode(&tree)
}

func (f *jsonFile) tree() map[string]any { return f.values }

// entry returns the object with the servers and the entry of a name, each nil if missing.
func (f *jsonFile) entry(key, name string) (servers, entry *hujson.Value, err error) {
	if servers, err = find(f.root, "the file", key); err == nil && servers != nil {
		entry, err = find(servers, strconv.Quote(key), name)
	}
	return servers, entry, err
}

func (f *jsonFile) set(key, name string, members object, gone []string) (string, error) {
	servers, entry, err := f.entry(key, name)
	switch {
	case err != nil:
		return "", err
	case servers == nil:
		insert(f.root, styleOf(f.text, *f.root), member{key, object{{name, members}}})
		return f.root.String(), nil
	case entry == nil:
		insert(servers, styleOf(f.text, *servers), member{name, members})
		return f.root.String(), nil
	}
	s := styleOf(f.text, *entry)
	for _, m := range members {
		value, err := find(entry, strconv.Quote(name), m.key)
		if err != nil {
			return "", err
		}
		if value == nil {
			insert(entry, s, m)
		} else {
			value.Value = literal(indented(m.value, s.prefix+s.unit, s.unit)).Value
		}
	}
	for _, key := range gone {
		if _, err := find(entry, strconv.Quote(name), key); err != nil {
			return "", err
		}
		removeMember(entry, key)
	}
	return f.root.String(), nil
}

func (f *jsonFile) remove(key, name string) (string, error) {
	servers, _, err := f.entry(key, name)
	if err != nil {
		return "", err
	}
	removeMember(servers, name)
	return f.root.String(), nil
}

// find returns the value of a member, or nil. It refuses a key that occurs twice, and a holder that is not an object; what names the
// holder in the error.
func find(holder *hujson.Value, what, key string) (*hujson.Value, error) {
	o, ok := holder.Value.(*hujson.Object)
	if !ok {
		return nil, refused("%s is not an object: fix it first", what)
	}
	var found *hujson.Value
	for i := range o.Members {
		if memberName(o.Members[i]) != key {
			continue
		}
		if found != nil {
			return nil, refused("the file holds %q twice: fix it first", key)
		}
		found = &o.Members[i].Value
	}
	return found, nil
}

func memberName(m hujson.ObjectMember) string {
	name, _ := m.Name.Value.(hujson.Literal)
	return name.String()
}

// literal parses JSON that this package has written.
func literal(text string) hujson.Value {
	value, _ := hujson.Parse([]byte(text))
	return value
}

// insert adds a member at the end of an object, in the style of the object.
func insert(holder *hujson.Value, s style, m member) {
	o, _ := holder.Value.(*hujson.Object) // find has refused everything else
	inner := s.prefix + s.unit
	before, text, after := "\n"+inner, indented(m.value, inner, s.unit), string(o.AfterExtra)
	var trailing hujson.Extra // not nil: the last member has a trailing comma
	switch members := (hujson.Value{Value: &hujson.Object{Members: o.Members}}).String(); {
	case len(o.Members) == 0:
		before, after = strings.TrimRight(after, " \t\r\n")+before, "\n"+s.prefix
	case !strings.Contains(members, "\n"):
		before, text = " ", spaced(m.value)
	default:
		line, _ := lineEnd(after)
		before, after = after[:line]+before, after[line:]
		if strings.Trim(after, " \t") == "" {
			after = "\n" + s.prefix
		}
	}
	if count := len(o.Members); count > 0 && o.Members[count-1].Value.AfterExtra != nil {
		trailing = hujson.Extra{}
	}
	added := literal(text)
	added.BeforeExtra, added.AfterExtra = hujson.Extra(" "), trailing
	name := hujson.Value{BeforeExtra: hujson.Extra(before), Value: hujson.String(m.key)}
	o.Members = append(o.Members, hujson.ObjectMember{Name: name, Value: added})
	o.AfterExtra = hujson.Extra(after)
}

// removeMember removes a member with its comma and the comment behind it on its line. The comments above it stay.
func removeMember(holder *hujson.Value, key string) {
	o, _ := holder.Value.(*hujson.Object)
	index := slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return memberName(m) == key })
	gone, isLast := o.Members[index], index == len(o.Members)-1
	next := &o.AfterExtra
	if !isLast {
		next = &o.Members[index+1].Name.BeforeExtra
	}
	before, after := string(gone.Name.BeforeExtra), string(*next)
	line, ends := lineEnd(after)
	switch ownLine := strings.TrimRight(before, " \t"); {
	case strings.HasSuffix(ownLine, "\n") && ends:
		before, after = ownLine, strings.TrimPrefix(strings.TrimPrefix(after[line:], "\r"), "\n")
	case !isLast:
		after = strings.TrimLeft(after, " \t")
	case index > 0 && gone.Value.AfterExtra == nil:
		before = strings.TrimLeft(before, " \t")
	}
	if isLast && index > 0 { // the member before it takes over whether there is a trailing comma
		last := &o.Members[index-1].Value
		if gone.Value.AfterExtra == nil {
			before, last.AfterExtra = string(last.AfterExtra)+before, nil
		} else if last.AfterExtra == nil {
			last.AfterExtra = hujson.Extra{}
		}
	}
	*next = hujson.Extra(before + after)
	o.Members = slices.Delete(o.Members, index, index+1)
}

// restOfLine matches blanks and one-line comments up to a line break.
var restOfLine = regexp.MustCompile(`^((?:[ \t]|/\*[^\n]*?\*/)*(?://[^\n]*)?)[\r\n]`)

// lineEnd returns the length of the blanks and comments before the first line break, and whether there is one. Without one,
// or with a comment over several lines, the length is 0.
func lineEnd(extra string) (length int, ends bool) {
	found := restOfLine.FindStringSubmatch(extra)
	if found == nil {
		return 0, false
	}
	return len(found[1]), true
}

// A style is the indentation of the line on which an object begins, and what its members are indented by in addition.
type style struct{ prefix, unit string }

func styleOf(text string, holder hujson.Value) style {
	first := text[strings.LastIndexByte(text[:holder.StartOffset], '\n')+1:]
	s := style{first[:len(first)-len(strings.TrimLeft(first, " \t"))], "  "}
	for line := range strings.Lines(text) { // as the first indented line
		if trimmed := strings.TrimLeft(line, " \t"); trimmed != line && strings.HasPrefix(trimmed, `"`) {
			s.unit = line[:len(line)-len(trimmed)]
			break
		}
	}
	return s
}
