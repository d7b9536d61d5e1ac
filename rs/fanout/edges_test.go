package fanout

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The defaults and bounds are those of docs/limits.md, and a hash and a cursor have the documented lengths.
func TestTheDefaultsOfAPackage(t *testing.T) {
	if o := (PackageOptions{}).withDefaults(); o.Width != 8 || o.MemberDeadline != 5*time.Second || o.RefusalHold != time.Minute {
		t.Errorf("%+v", o)
	}
	if maxMembers != 256 || maxLookups != 16 || maxBlobAttempts != 16 || maxCursorSkip != 100_000 || defaultSearchLimit != 20 || rs.MaxLimit != 100 {
		t.Error("the bounds are others")
	}
}

// transient reports which statuses may succeed later, and allFailedRank gives all failures of a group the same rank.
func TestEdgesOfStatuses(t *testing.T) {
	for status, want := range map[int]bool{0: true, 399: true, 400: false, 408: true, 425: true, 429: true, 499: false, 500: true, 599: true} {
		if got := transient(&rs.Error{Status: status}); got != want {
			t.Errorf("%d may pass: %v", status, got)
		}
	}
	for _, group := range [][]rs.Error{
		{{Status: 400}, {Status: 499}}, {{Status: 429}}, {{Status: 500}, {Status: 599}}, {{Code: "deadline_exceeded"}}, {{}, {Status: 399}},
		{{Status: 401}, {Status: 403}}, {{Code: "internal_error"}},
	} {
		for i := range group {
			if got, first := allFailedRank(&group[i]), allFailedRank(&group[0]); got != first {
				t.Errorf("%+v is not told like %+v", group[i], group[0])
			}
		}
	}
}

// A message names the first few and counts the others.
func TestManyAreNamedInPart(t *testing.T) {
	for n, want := range map[int]string{
		3: `"s0", "s1", "s2"`, 4: `"s0", "s1", "s2", and 1 more`, 5: `"s0", "s1", "s2", and 2 more`,
	} {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("s", i))
		}
		if got := quoteNames(names); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	for n, want := range map[int]string{1: "c0 (x).", 5: "c4 (x).", 6: "c4 (x), 1 more.", 7: "c4 (x), 2 more."} {
		var unavailable []rs.UnavailableConnection
		for i := range n {
			unavailable = append(unavailable, rs.UnavailableConnection{Connection: rs.Connection{ID: fmt.Sprint("c", i)}, Code: "x"})
		}
		if got := rs.AsObject(unavailableWarning(unavailable, "")).Text("message"); !strings.HasSuffix(got, want) {
			t.Errorf("%d: %s", n, got)
		}
	}
	lacking := []rs.UnavailableConnection{{Connection: rs.Connection{ID: "a"}, Code: "x"}, {Connection: rs.Connection{ID: "b"}, Code: "unknown_field"}}
	for from, want := range []string{"Connections that could not be read: a (x). Later. Left out, because they lack a field of the filter: b. ", "Left out, because they lack"} {
		if got := rs.AsObject(unavailableWarning(lacking[from:], " Later.")).Text("message"); !strings.HasPrefix(got, want) {
			t.Errorf("%s", got)
		}
	}
	var warnings []string
	for i := range 25 {
		warnings = mergeWarnings(warnings, fmt.Sprint(i), "0")
	}
	if len(warnings) != 20 || warnings[19] != "19" {
		t.Errorf("warnings are %q", warnings)
	}
}

// If a member does not answer, its missing words are unknown and do not change those of the others.
func TestWordsThatOccurNowhere(t *testing.T) {
	one := tally{Members: 1, Missing: []string{"x", "y"}}
	for want, other := range map[string]tally{"[x y]": unanswered(), "[y]": {Members: 1, Missing: []string{"y", "z"}}, "[]": {Members: 1}} {
		if got := fmt.Sprint(one.plus(other).Missing); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A cursor is accepted up to its bounds and refused beyond them; every cursor that is issued is accepted.
func TestEdgesOfACursor(t *testing.T) {
	turns := func(n int) (all []cursorTurn) {
		for i := range n {
			all = append(all, cursorTurn{ConnectionID: fmt.Sprint(i)})
		}
		return all
	}
	one := []cursorTurn{{ConnectionID: "c"}}
	for name, row := range map[string]struct {
		cursor packageCursor
		good   bool
	}{
		"the smallest page":       {packageCursor{Size: 1, Turns: one}, true},
		"the largest page":        {packageCursor{Size: 100, Turns: one}, true},
		"as many turns as can be": {packageCursor{Size: 1, Turns: turns(256)}, true},
		"one turn more":           {packageCursor{Size: 1, Turns: turns(257)}, false},
		"the largest skip":        {packageCursor{Size: 1, Turns: []cursorTurn{{ConnectionID: "c", Skip: 100_000}}}, true},
		"a larger skip":           {packageCursor{Size: 1, Turns: []cursorTurn{{ConnectionID: "c", Skip: 100_001}}}, false},
		"a skip below nothing":    {packageCursor{Size: 1, Turns: []cursorTurn{{ConnectionID: "c", Skip: -1}}}, false},
		"a member's zero byte":    {packageCursor{Size: 1, Turns: []cursorTurn{{ConnectionID: "c", Cursor: "a\x00"}}}, false},
		"a member's first byte":   {packageCursor{Size: 1, Turns: []cursorTurn{{ConnectionID: "c", Cursor: "a\x01"}}}, true},
		"less than none":          {packageCursor{Size: 1, Turns: one, Done: tally{Count: -1}}, false},
		"fewer members than none": {packageCursor{Size: 1, Turns: one, Done: tally{Members: -1}}, false},
	} {
		if got, refused := decodePackageCursor(row.cursor.encode(), ""); (refused == nil) != row.good || row.good && len(got.Turns) != len(row.cursor.Turns) {
			t.Errorf("%s: %v", name, refused)
		}
	}
	longest := 0
	for length := range 13_000 {
		c := packageCursor{Size: 1, Turns: []cursorTurn{{ConnectionID: "c", Cursor: strings.Repeat("a", length)}}}
		if length < 12_000 && length > 0 {
			continue
		}
		text := c.encode()
		if longest = max(longest, len(text)); text != "" {
			if _, refused := decodePackageCursor(text, ""); refused != nil {
				t.Errorf("one of %d bytes: %v", len(text), refused)
			}
			continue
		}
		c.Version, c.Kind = 1, "package_search"
		if _, refused := decodePackageCursor(rs.EncodeHandle(c), ""); refused == nil {
			t.Errorf("a longer one is read: %d bytes", len(rs.EncodeHandle(c)))
		}
	}
	if longest != 16<<10 {
		t.Errorf("the longest has %d bytes", longest)
	}
	good := packageCursor{Size: 1, Turns: one}.encode()
	data, err := base64.RawURLEncoding.DecodeString(good)
	if err != nil || !json.Valid(data) {
		t.Fatal(err)
	}
	encoded := base64.RawURLEncoding.EncodeToString
	for name, text := range map[string]string{
		"a sign behind it": good + "!", "an object behind it": encoded([]byte(string(data) + "{}")), "a byte that is no text": encoded(slices.Concat(data[:len(data)-4], []byte("\xff\"}]}"))),
	} {
		if _, refused := decodePackageCursor(text, ""); refused == nil {
			t.Errorf("%s is read over", name)
		}
	}
}
