package browse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDocumentsAreParsed(t *testing.T) {
	got := readDocument(strings.Join([]string{
		"id: m1", `title: ""`, "a: b: c", "", "bodies of c/bodies:m1 (charset: utf-8)", "text:", "> long", "cite: c/bodies:m1 field=text 0-4 d2a8",
		"", "body:", "> one", "> ", "> attached \"x\":",
		"[body is cut: 3 of 9 characters; go on with read_record_field]",
		"", "expanded parts: 2 records, more exist (raise expand_limit)",
		`c/parts:p1 {"name":"n","size":2,"ref":{"a":1},"none":null}`, `c/parts:p2 {"name":"cut…`, "3 more not shown: lower expand_limit",
		"", `attached "a \"b\".txt", text/plain, 9 bytes:`, "> text", "", `attached "c.pdf", application/pdf, 852 bytes: resource pdpp://blob/x`,
	}, "\n"))
	want := fetchedDocument{
		Fields: []namedValue{{"id", "m1"}, {"title", `""`}, {"a", "b: c"}},
		Sections: []section{
			{
				Title: "bodies of c/bodies:m1 (charset: utf-8)", Text: "long\n",
				Related: []related{{ID: "c/bodies:m1", Link: "/?id=c%2Fbodies%3Am1&view=record"}},
				Notes:   []string{"text:", "cite: c/bodies:m1 field=text 0-4 d2a8"},
			},
			{
				Title: "body", Text: "one\n\nattached \"x\":\n",
				Notes: []string{"body is cut: 3 of 9 characters; go on with read_record_field"},
			},
			{
				Title: "expanded parts: 2 records, more exist (raise expand_limit)",
				Related: []related{
					{ID: "c/parts:p1", Link: "/?id=c%2Fparts%3Ap1&view=record", Pairs: []namedValue{{"name", "n"}, {"size", "2"}}},
					{ID: "c/parts:p2", Link: "/?id=c%2Fparts%3Ap2&view=record", Text: `{"name":"cut…`},
				},
				Notes: []string{"3 more not shown: lower expand_limit"},
			},
			{Title: `attached "a \"b\".txt", text/plain, 9 bytes`, Text: "text\n"},
			{Title: `attached "c.pdf", application/pdf, 852 bytes`, File: "/?name=c.pdf&uri=pdpp%3A%2F%2Fblob%2Fx&view=file"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// For any document, every link leads to a record on this server, and no text is lost.
func FuzzADocumentIsTakenApart(f *testing.F) {
	f.Add("id: a\n\nbody:\n> one\n\nexpanded x: 1 record\nc/s:r {\"a\":1}\n\nattached \"a\", text/plain:\n> b")
	f.Add("id: a\n\nparts of c/parts:r (n: 1)\nbody:\n> one\n\nparts of c/parts:")
	f.Add("attached \"")
	f.Add("\n\n>\n> x\nexpanded ")
	f.Fuzz(func(t *testing.T, text string) {
		d := readDocument(text)
		shown := 0 // quoted lines, in the text or in the title
		for _, s := range d.Sections {
			shown += strings.Count(s.Text, "\n")
			if strings.HasPrefix(s.Title, ">") {
				shown++
			}
			for _, one := range s.Related {
				if !strings.HasPrefix(one.Link, "/?id=") {
					t.Fatalf("%q leads to %q", text, one.Link)
				}
			}
		}
		quoted := 0
		_, sections, _ := strings.Cut(text, "\n\n")
		for line := range strings.Lines(sections) {
			if strings.HasPrefix(line, ">") {
				quoted++
			}
		}
		if shown != quoted {
			t.Fatalf("%d lines of text, not %d, in %q", shown, quoted, text)
		}
	})
}
