package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A client is a program in the place of a model. It sees only the tool list and one channel of each answer: some hosts show a model only
// the text, others only structured content.
type client struct {
	*mcp.ClientSession
	channel
	t          *testing.T
	calls      int
	bytes      int // of what it saw
	characters int
	proposed   []proposal
}

// A channel is half of every answer, with functions that read it. Each method gets only what the client saw.
type channel interface {
	see(result *mcp.CallToolResult) string
	refused(seen string) refusal
	catalog(seen string) []granted
	described(stream, seen string) []described
	page(asked call, seen string) page
	hits(asked call, seen string) hits
	tally(seen string) tally
	window(seen string) window
}

// A call is a tool and its arguments.
type call struct {
	tool      string
	arguments map[string]any
}

// with returns the call with one argument added or replaced.
func (c call) with(name string, value any) call {
	c.arguments = maps.Clone(c.arguments)
	c.arguments[name] = value
	return c
}

// without returns the call without an argument.
func (c call) without(name string) call {
	c.arguments = maps.Clone(c.arguments)
	delete(c.arguments, name)
	return c
}

func (c call) String() string { return c.tool + " " + compact(c.arguments) }

// callOf parses a call as it is printed.
func callOf(tool, arguments string) call {
	c := call{tool: tool}
	if err := json.Unmarshal([]byte(arguments), &c.arguments); err != nil {
		panic(fmt.Sprintf("%s %s: %v", tool, arguments, err)) // a mistake in a test or an answer, which must be noticed
	}
	return c
}

// What both channels say, in common types.
type (
	// A granted is a stream of a connection.
	granted struct{ stream, connection string }

	// A described stream is what the connections of one connector have, with the operations of each field.
	described struct {
		connections []string
		words       map[string][]string // fields by operation: exact, range, sort, sum, group_by, expand …
		examples    []call
		rest        *call // reads the other fields, if this answer does not have them
	}

	// A page is an answer of query_records.
	page struct {
		rows  []row
		next  *call  // the next page
		later *call  // later changes
		apart []call // one for each connection, if the page has no cursor
		total string
	}
	row struct {
		id     string
		values map[string]string // as far as they are shown
		long   []call            // read truncated values
	}

	// Hits are an answer of search.
	hits struct {
		ids      []string
		evidence []evidence
		next     *call
	}
	evidence struct {
		id, field, text, sha256 string
		start, end              int // -1 without a range
		read                    call
	}

	// A tally is an answer of aggregate: a value, or groups in order.
	tally struct {
		value  string
		keys   []string
		groups map[string]string
		other  string
	}

	// A window is a part of a field.
	window struct {
		text, sha256      string
		start, end, total int
		match             string // the characters that matched
		next              *call
	}
)

// newClient opens a session for one journey.
func newClient(t *testing.T, url, token string, ch channel) *client {
	s := overHTTP(t, url, token)
	return &client{ClientSession: s.ClientSession, channel: ch, t: t}
}

// ask makes a call and returns what the client saw, and whether that was an error.
func (c *client) ask(asked call) (seen string, failed bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), callTime)
	defer cancel()
	result, err := c.CallTool(ctx, &mcp.CallToolParams{Name: asked.tool, Arguments: asked.arguments})
	if err != nil {
		c.t.Fatalf("%v: %v", asked, err)
	}
	seen = c.see(result)
	for _, next := range proposals(asked.tool, result) {
		c.proposed = append(c.proposed, proposal{asked, next})
	}
	c.calls++
	c.bytes += len(seen)
	c.characters += utf8.RuneCountInString(seen)
	return seen, result.IsError
}

// get makes a call that must succeed.
func (c *client) get(asked call) string {
	c.t.Helper()
	seen, failed := c.ask(asked)
	if failed {
		c.t.Fatalf("%v\n%s", asked, seen)
	}
	return seen
}

func (c *client) getPage(asked call) page {
	c.t.Helper()
	return c.page(asked, c.get(asked))
}

func (c *client) getTally(arguments string) tally {
	c.t.Helper()
	return c.tally(c.get(callOf("aggregate", arguments)))
}

// enumeration returns the allowed values of an argument from the tool list.
func (c *client) enumeration(tool, argument string) []string {
	c.t.Helper()
	list, err := c.ListTools(c.t.Context(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	at := slices.IndexFunc(list.Tools, func(listed *mcp.Tool) bool { return listed.Name == tool })
	if at < 0 {
		c.t.Fatalf("no tool is named %s", tool)
	}
	var input struct {
		Properties map[string]struct {
			Enum []string `json:"enum"`
		} `json:"properties"`
	}
	if err := json.Unmarshal([]byte(compact(list.Tools[at].InputSchema)), &input); err != nil {
		c.t.Fatal(err)
	}
	return input.Properties[argument].Enum
}

// describe reads the schema of a stream, including all of its continuations.
func (c *client) describe(arguments map[string]any) []described {
	c.t.Helper()
	stream, _ := arguments["stream"].(string)
	var all []described
	for asked := (call{"schema", arguments}); ; {
		part := c.described(stream, c.get(asked))
		all = append(all, part...)
		if len(part) == 0 || part[len(part)-1].rest == nil {
			return all
		}
		asked = *part[len(part)-1].rest
	}
}

// fieldsOf returns all fields in a schema that have an operation.
func fieldsOf(blocks []described, word string) []string {
	var names []string
	for _, block := range blocks {
		names = append(names, block.words[word]...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// pages follows a page to the end and returns every record. A page that is truncated is requested again with the limit that the answer
// names; if it has no cursor, each connection is read alone.
func (c *client) pages(asked call) (rows []row, later *call) {
	c.t.Helper()
	for range 500 {
		got := c.getPage(asked)
		rows = append(rows, got.rows...)
		if len(got.apart) > 0 {
			if got.apart[0].arguments["cursor"] == nil {
				rows = nil // each connection starts again
			}
			for _, one := range got.apart {
				c.keeps(asked, one)
				more, _ := c.pages(one)
				rows = append(rows, more...)
			}
			return rows, nil
		}
		if got.next == nil {
			return rows, got.later
		}
		c.keeps(asked, *got.next)
		asked = *got.next
	}
	c.t.Fatalf("%v does not end", asked)
	return nil, nil
}

// found follows a search to the end and returns every id.
func (c *client) found(asked call) []string {
	c.t.Helper()
	var ids []string
	for range 500 {
		got := c.hits(asked, c.get(asked))
		ids = append(ids, got.ids...)
		if got.next == nil {
			return ids
		}
		c.keeps(asked, *got.next)
		asked = *got.next
	}
	c.t.Fatalf("%v does not end", asked)
	return nil
}

// keeps fails if a continuation changes the request (S0-5g): only its position may differ, and a limit that was lowered may grow again.
func (c *client) keeps(asked, next call) {
	c.t.Helper()
	for name, value := range asked.arguments {
		if name != "cursor" && name != "changes_since" && name != "limit" && compact(value) != compact(next.arguments[name]) {
			c.t.Errorf("%s is %s in %v, and was %s", name, compact(next.arguments[name]), next, compact(value))
		}
	}
}

// readOn reads a field from a call on to its end.
func (c *client) readOn(asked call) string {
	c.t.Helper()
	var all strings.Builder
	for range 1000 {
		part := c.window(c.get(asked))
		all.WriteString(part.text)
		if part.next == nil {
			return all.String()
		}
		if part.text == "" {
			c.t.Fatalf("a window is empty, but not the last: %v", part.next)
		}
		asked = *part.next
	}
	c.t.Fatal("the field does not end")
	return ""
}

// A document is an answer of fetch, the same on both channels.
type document struct {
	ID, Title, Text, URL string
	Metadata             struct {
		ConnectionID string `json:"connection_id"`
		Complete     bool   `json:"complete"`
		Incomplete   []struct {
			Field string      `json:"field"`
			Shown int         `json:"shown_chars"`
			Total int         `json:"total_chars"`
			Read  printedRead `json:"read"`
		} `json:"incomplete"`
		ReadOmitted *printedRead `json:"read_omitted"`
	} `json:"metadata"`
}

// A printedRead is a call in structured content.
type printedRead struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
}

func (r printedRead) call() call { return call{r.Tool, r.Arguments} }

// open fetches a record. If the id is refused, it is corrected as the error says.
func (c *client) open(arguments map[string]any) document {
	c.t.Helper()
	asked := call{"fetch", arguments}
	seen, failed := c.ask(asked)
	if failed {
		asked, seen = c.recovers(asked, seen)
	}
	var d document
	if err := json.Unmarshal([]byte(seen), &d); err != nil {
		c.t.Fatalf("%v returns no document: %v\n%s", asked, err, seen)
	}
	return d
}

// whole returns a record's document with everything that it says was truncated or left out.
func (c *client) whole(id string) string {
	c.t.Helper()
	d := c.open(map[string]any{"id": id})
	all := d.Text
	for range 50 {
		for _, part := range d.Metadata.Incomplete {
			all += c.readOn(part.Read.call())
		}
		if d.Metadata.ReadOmitted == nil {
			return all
		}
		d = c.open(d.Metadata.ReadOmitted.Arguments)
		all += d.Text
	}
	c.t.Fatalf("%s is never complete", id)
	return ""
}
