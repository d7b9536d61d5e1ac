package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
)

// The visible text of an HTML page is extracted, even if optional tags are missing. Scripts, styles and templates are not.
func TestTextOfAPage(t *testing.T) {
	for page, want := range map[string]string{
		"<!doctype html><html><head><title>Invoice</title><body><p>Total 42</p></body></html>":                       "Total 42",
		"<html><head><style>p{}</style><title>Invoice</title></head><body><p>Total<br>42</p></body></html>":          "Total\n42",
		"<p>a<script>b()</script><template><p>c</p></template> d</p>":                                                "a d",
		"<head><meta name=x content=y><link rel=z><script>var a = '<p>no</p>'</script><table><tr><td>1<td>2</table>": "1 2",
	} {
		if got := htmlText(page); got != want {
			t.Errorf("%s is %q, want %q", page, got, want)
		}
	}
}

// A document counts the attachments that it does not name. One referenced by both a record and a related record counts once.
func TestAttachmentsThatAreNotNamedAreCounted(t *testing.T) {
	var related []string
	for i := range maxAttached + 2 {
		related = append(related, fmt.Sprintf(`{"id":"a%[1]d","data":{"filename":"f%[1]d.pdf","blob_ref":{"blob_id":"blob_%[1]d","mime_type":"application/pdf"}}}`, i))
	}
	body := `{"id":"m1","stream":"messages","data":{"file":{"blob_id":"blob_0"}},"expanded":{"attachments":[` + strings.Join(related, ",") + `]}}`
	text, whole := writeAttached(AttachedTo(&rs.Response{Body: body}, "c", nil), documentJSON)
	if whole || strings.Count(text, "\nattached ") != maxAttached || !strings.Contains(text, "[2 more attached, not shown: ") {
		t.Errorf("%t: %s", whole, text)
	}
}

// Everything that a part of a record leaves out is in the cuts, each with a call that reads it: a long text that does not fit, a long
// list, and short values that were truncated.
func TestAPartOfARecordSaysWhatItLeavesOut(t *testing.T) {
	long, list := strings.Repeat("word ", 300), "["+strings.Repeat(`"item",`, 60)+`"end"]`
	part := item.Item{ID: "c/bodies:b1", Data: rs.AsObject(`{"text":"` + long + `","html":"` + long + `","headers":` + list + `}`)}
	d := documentText{}
	text := d.writePart("body", &part, 2500)
	var cuts []string
	for _, c := range d.cuts {
		cuts = append(cuts, c.Field.Name)
	}
	if got := strings.Join(cuts, " "); !strings.Contains(text, "\ntext:\n") || strings.Contains(text, "\nhtml:\n") || got != "html headers" {
		t.Errorf("%s in\n%s", got, text)
	}
	d = documentText{}
	if text := d.writePart("body", &part, 100); text != "" || len(d.cuts) > 0 {
		t.Errorf("without space for a text: %d cuts, %s", len(d.cuts), text)
	}
}
