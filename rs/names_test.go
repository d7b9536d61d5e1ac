package rs_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A handle decodes to what was encoded; any other text is refused.
func TestHandlesAreReadAsTheyWereWritten(t *testing.T) {
	type handle struct{ A string }
	var read handle
	if err := rs.DecodeHandle(rs.EncodeHandle(handle{"a/ü"}), &read); err != nil || read.A != "a/ü" {
		t.Errorf("%+v (%v)", read, err)
	}
	for _, text := range []string{"e30=", "e3", "_w", "!"} { // padded, bits left over, not UTF-8, not base64
		if err := rs.DecodeHandle(text, &read); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// A field name is refused if it would not stay one name between the brackets of a filter parameter.
func TestFieldNamesThatCannotBeSent(t *testing.T) {
	for name, why := range map[string]string{
		"data.subject": "", "é": "", " ": "is blank", "": "is blank", "a[b": "contains brackets", "a]b": "contains brackets", "a\nb": "contains a control character",
	} {
		if got := rs.UnsafeField(name); got != why {
			t.Errorf("%q %s, want %q", name, got, why)
		}
	}
}

// A refusal with such a code is no reason to introspect the token again.
func TestCodesThatSayNothingOfTheToken(t *testing.T) {
	for code, elsewhere := range map[rs.Code]bool{"rate_limited": true, "not_found": true, "not_authenticated": false, "grant_revoked": false} {
		if got := code.MeansOtherThanInactive(); got != elsewhere {
			t.Errorf("%s: %v", code, got)
		}
	}
}

// An error quotes at most 200 bytes of an id.
func TestALongIDIsQuotedInPart(t *testing.T) {
	for length, whole := range map[int]bool{200: true, 201: false} {
		id := strings.Repeat("a", length) // no ':'
		_, err := rs.ParseRef(id)
		if err == nil || strings.Contains(err.Error(), id) != whole || !strings.Contains(err.Error(), id[:200]) || strings.Contains(rs.AsError(err).Message, "…") == whole {
			t.Errorf("%d: %v", length, err)
		}
	}
}

// A relation without a name, or one that is not granted or not usable, cannot be expanded.
func TestRelationsThatCanBeExpanded(t *testing.T) {
	response := rs.Response{Body: `{"connectors":[{"streams":[{"name":"a","expand_capabilities":[{"name":"b"},{"name":""},` +
		`{"name":"c","granted":false},{"name":"d","usable":false},{"name":"e","granted":true,"usable":true}]}]}]}`}
	var names string
	for _, relation := range response.Schema().Streams[0].Relations() {
		names += relation.Name
	}
	if names != "be" {
		t.Errorf("%q can be expanded", names)
	}
}
