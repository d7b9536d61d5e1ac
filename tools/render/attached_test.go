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
	const want = "[2 more attached, not shown: their blob_id is in the fields and related records of this one]"
	for key, all := range map[string]string{
		"message_id": `all, newest first: query_records {"stream":"attachments","connection_id":"c","filter":{"message_id":"m1"}}` + "\n",
		"":           "raise expand_limit, or query their stream\n",
	} {
		var records []string
		for i := range maxAttached + 2 {
			records = append(records, fmt.Sprintf(`{"id":"a%[1]d","stream":"attachments","data":{%[2]q:"m1","filename":"f%[1]d.pdf","blob_ref":{"blob_id":"blob_%[1]d"}}}`, i, key))
		}
		body := `{"id":"m1","stream":"messages","connection_id":"c","data":{"file":{"blob_id":"blob_0"}},"expanded":{"notes":[{"data":{"message_id":"m1"}}],` +
			`"attachments":[` + strings.Join(records, ",") + `]}}`
		response := &rs.Response{Body: strings.ReplaceAll(body, `"":"m1",`, "")}
		r, err := Document(response, DocumentQuery{Ref: rs.Ref{ConnectionID: "c", Stream: "messages", RecordID: "m1"}, Attached: AttachedTo(response, "c", nil)})
		document := rs.AsObject(r.Text)
		text := document.Text("text")
		if err != nil || document.Object("metadata").Flag("complete") || strings.Count(text, "\nattached ") != maxAttached || !strings.HasSuffix(text, want) || !strings.Contains(text, all) {
			t.Errorf("want %s and %s in %s, %v", all, want, text, err)
		}
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
