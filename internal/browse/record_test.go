package browse

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestADocumentIsTakenApart(t *testing.T) {
	got := readDocument(strings.Join([]string{
		"id: m1", `title: ""`, "a: b: c", "", "bodies of c/bodies:m1 (charset: utf-8)", "text:", "> long", "cite: c/bodies:m1 field=text 0-4 d2a8",
		"", "body:", "> one", "> ", "> attached \"x\":",
		"[body is cut: 3 of 9 characters; go on with read_record_field]",
		"", "expanded parts: 2 records, more exist (raise expand_limit)",
		`c/parts:p1 {"name":"n","size":2,"ref":{"a":1},"none":null}`, `c/parts:p2 {"name":"cut…`, "3 more not shown: lower expand_limit",
		"", `attached "a \"b\".txt", text/plain, 9 bytes:`, "> text", "", `attached "c.pdf", application/pdf, 852 bytes: resource pdpp://blob/x`,
	}, "\n"))
	want := document{
		Fields: []pair{{"id", "m1"}, {"title", `""`}, {"a", "b: c"}},
		Blocks: []block{
			{Head: "text, bodies of c/bodies:m1 (charset: utf-8)", Text: "long\n", Lines: []string{"cite: c/bodies:m1 field=text 0-4 d2a8"}},
			{
				Head: "body:", Text: "one\n\nattached \"x\":\n",
				Lines: []string{"[body is cut: 3 of 9 characters; go on with read_record_field]"},
			},
			{
				Head: "expanded parts: 2 records, more exist (raise expand_limit)", Lines: []string{
					`c/parts:p1 {"name":"n","size":2,"ref":{"a":1},"none":null}`, `c/parts:p2 {"name":"cut…`, "3 more not shown: lower expand_limit",
				},
			},
			{Head: `attached "a \"b\".txt", text/plain, 9 bytes:`, Text: "text\n"},
			{Head: `attached "c.pdf", application/pdf, 852 bytes: resource pdpp://blob/x`},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What a block is shown with leads to its records and its file.
func TestABlockLeadsToWhatItNames(t *testing.T) {
	for _, c := range []struct {
		block block
		holds []string
	}{
		{
			block{Head: "text, bodies of c/bodies:m1 (charset: utf-8)", Text: "long\n", Lines: []string{"cite: c/bodies:m1 field=text"}},
			[]string{`<a href="/?id=c%2Fbodies%3Am1&amp;view=record">c/bodies:m1</a></li></ul>`, `<p class="quiet">cite: c/bodies:m1`},
		},
		{
			block{Head: "expanded parts: 2 records", Lines: []string{
				`c/parts:p1 {"name":"n","size":2,"ref":{"a":1},"none":null}`, `c/parts:p2 {"name":"cut…`, "[3 more]",
			}},
			[]string{
				`p1</a><dl><div><dt>name</dt><dd>n</dd></div><div><dt>size</dt><dd>2</dd></div></dl></li>`, `p2</a><p>{&#34;name&#34;:&#34;cut…</p></li></ul>`,
				`<p class="quiet">3 more</p>`,
			},
		},
		{block{Head: `attached "a \"b\".txt", text/plain, 9 bytes: resource pdpp://blob/x`}, []string{`href="/?name=a+%22b%22.txt&amp;uri=pdpp%3A%2F%2Fblob%2Fx&amp;view=file"`}},
	} {
		var out strings.Builder
		_ = c.block.node().Render(&out)
		for _, text := range c.holds {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%q is not in %s", text, out.String())
			}
		}
	}
}

// Whatever a document says, no word of a text is lost.
func FuzzADocumentIsTakenApart(f *testing.F) {
	f.Add("id: a\n\nbody:\n> one\n\nexpanded x: 1 record\nc/s:r {\"a\":1}\n\nattached \"a\", text/plain:\n> b")
	f.Add("id: a\n\nparts of c/parts:r (n: 1)\nbody:\n> one\n\nparts of c/parts:")
	f.Add("attached \"")
	f.Add("\n\n>\n> x\nexpanded ")
	f.Fuzz(func(t *testing.T, text string) {
		lines, quoted := 0, 0
		d := readDocument(text)
		for _, b := range d.Blocks {
			lines += strings.Count(b.Text, "\n")
		}
		_ = d.node().Render(io.Discard)
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, ">") {
				quoted++
			}
		}
		if lines != quoted {
			t.Fatalf("%d lines of text, not %d, in %q", lines, quoted, text)
		}
	})
}
