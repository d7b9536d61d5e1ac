package embedded

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// An answer says of so many files what was not read of them, and names as many others as fit into its last warning of them, which a
// client may cut behind so many bytes. A schema goes on to name the rest in so many further warnings.
const maxUnread, maxWarning, maxFurther = 2, 320, 14

// warnUnread tells what could not be read of the files that sources come from: an answer may miss it.
func (c *call) warnUnread(sources []access, further int) {
	others := c.unread(sources)
	first := others[:min(len(others), maxUnread)]
	others = others[len(first):]
	var names string
	for i, one := range first {
		message := unreadMessage(one)
		if i == maxUnread-1 && len(others) > 0 {
			names, others = named(others, max(maxWarning-len(either)-len(message), maxWarning/3))
			if len(others) > 0 && further == 0 {
				names += fmt.Sprintf(" and %d more, which the schema of all streams names", len(others))
			}
			message = either + names + ". " + message
		}
		c.warn(warning{Code: "not_read", Detail: map[string]int{"pieces": one.Pieces}, Message: message})
	}
	for ; further > 0 && len(others) > 0; further-- {
		if names, others = named(others, maxWarning-len(either)-len(" and 10000 more")); further == 1 && len(others) > 0 {
			names += fmt.Sprintf(" and %d more", len(others))
		}
		c.warn(warning{Code: "not_read", Message: either + names})
	}
}

// unread are the files of sources that could not be read, those first that lose most. A file that belongs to no stream is named to those
// who may see all of its connection, if it may be missing in one of the sources.
func (c *call) unread(sources []access) []*model.LeftOut {
	var unread []*model.LeftOut
	narrowed := len(sources) < len(c.sources)
	for i := range c.catalog.LeftOut {
		one := &c.catalog.LeftOut[i]
		isStray := one.Stream == "" && c.opensAll(one.ConnectionID)
		if isStray && !narrowed || slices.ContainsFunc(sources, func(s access) bool {
			return s.Connection.ID == one.ConnectionID && (s.Stream.Name == one.Stream || isStray && isNear(one.File, s.Stream.Name))
		}) {
			unread = append(unread, one)
		}
	}
	slices.SortStableFunc(unread, func(a, b *model.LeftOut) int {
		return cmp.Or(unreadRank(a)-unreadRank(b), b.Lost()-a.Lost(), a.Kept-b.Kept, cmp.Compare(wholeReason(a), wholeReason(b)))
	})
	return unread
}

// unreadMessage says what of a file was not read, where the first of it is, and why.
func unreadMessage(one *model.LeftOut) string {
	pieces, how := one.Pieces-one.Aside, "not read"
	if pieces == 0 && one.Pieces > 0 {
		pieces, how = one.Pieces, "not read as a record"
	}
	if one.Kept > 0 {
		how = "not read in full"
	}
	why := one.Reason + otherReasons(one)
	switch {
	case one.Line == 0:
		return fmt.Sprintf("%s was %s: %s", one.File, how, why)
	case pieces == 1:
		return fmt.Sprintf("Line %d of %s was %s: %s", one.Line, one.File, how, why)
	}
	return fmt.Sprintf("%d pieces of %s were %s, the first at line %d: %s", pieces, one.File, how, one.Line, why)
}

const either = "Not read in full either: "

// otherReasons are the next two of the pieces of a file that differ in more than a number.
func otherReasons(one *model.LeftOut) string {
	words := func(reason string) string { return strings.Join(strings.FieldsFunc(reason, unicode.IsDigit), "0") }
	said, texts := []string{words(one.Reason)}, []string{""}
	for _, other := range one.More {
		if bare := words(other.Reason); len(said) < 3 && !slices.Contains(said, bare) {
			said = append(said, bare)
			texts = append(texts, fmt.Sprintf("at line %d: %s", other.Line, other.Reason))
		}
	}
	return strings.Join(texts, "; ")
}

// named are the names of some files, as many as fit into so many bytes but one at least, with why those are not read that are not at all.
func named(files []*model.LeftOut, most int) (text string, rest []*model.LeftOut) {
	last := ""
	for i, one := range files {
		name, why := one.File, wholeReason(one)
		if i > 0 {
			name = ", " + name
		}
		if i > 0 && len(text)+len(name)+len(why) > most {
			return text, files[i:]
		}
		if why != "" && why == last { // it is said once of all of them
			text = strings.TrimSuffix(text, last)
		}
		text, last = text+name+why, why
	}
	return text, nil
}

// wholeReason is why a file is not read at all, in few words; "" for one that is read in part.
func wholeReason(one *model.LeftOut) string {
	if one.Line > 0 {
		return ""
	}
	why, _, _ := strings.Cut(strings.TrimPrefix(one.Reason, "of no known kind: "), ": ")
	if strings.HasPrefix(why, ".") { // the endings of all kinds
		why = "of no known kind"
	}
	return " (" + why + ")"
}

// isNear reports whether a file may have been one of a stream, which is called after its folders: it is in one of those or, in none, its
// name begins as the stream's does.
func isNear(file, stream string) bool {
	of := path.Dir(file)
	if of == "." {
		of = strings.TrimSuffix(file, path.Ext(file))
	}
	notInWords := func(r rune) bool { return !unicode.IsLetter(r) }
	words, within := strings.FieldsFunc(of, notInWords), strings.FieldsFunc(stream, notInWords)
	least := min(len(words), len(within))
	return least > 0 && slices.Equal(words[:least], within[:least])
}

// unreadRank puts first what records are lost of, then files that are not read at all, and last what is no record.
func unreadRank(one *model.LeftOut) int {
	switch {
	case one.Reason == model.NoRecord:
		return 4
	case one.Stream != "" && one.Line == 0:
		return 0
	case one.Lost() > 0:
		return 1
	case one.Kept > 0:
		return 3
	case one.Pieces > 0:
		return 4
	}
	return 2
}

// warnPending tells that files have changed of which the store does not know yet.
func (c *call) warnPending() {
	if c.options.Pending == nil {
		return
	}
	if message := c.options.Pending(); message != "" {
		c.warn(warning{Code: "still_reading", Message: message})
	}
}
