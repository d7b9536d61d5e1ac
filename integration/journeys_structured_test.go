package integration

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// structuredOnly reads the structured content of an answer, like a model that sees nothing else.
type structuredOnly struct{}

func (structuredOnly) see(result *mcp.CallToolResult) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // a model sees <mark>, however it is escaped on the wire
	_ = encoder.Encode(result.StructuredContent)
	return strings.TrimSuffix(b.String(), "\n")
}

// parsed decodes what was seen; if that fails, the result is empty, which the journeys notice.
func parsed[T any](seen string) T {
	var v T
	_ = json.Unmarshal([]byte(seen), &v)
	return v
}

// asText returns a JSON value as the text channel prints it.
func asText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func (structuredOnly) refused(seen string) refusal {
	return parsed[struct{ Error refusal }](seen).Error
}

// A shownSchema is the structured content of schema.
type shownSchema struct {
	Data struct {
		Connectors []struct {
			Connections []struct {
				ID string `json:"connection_id"`
			} `json:"granted_connections"`
			Streams []struct {
				Name   string                     `json:"name"`
				Cursor string                     `json:"cursor_field"`
				Fields map[string]json.RawMessage `json:"field_capabilities"`
				Expand []struct {
					Name   string
					Usable bool
				} `json:"expand_capabilities"`
				Connections []struct {
					ID string `json:"connection_id"`
				} `json:"granted_connections"`
			} `json:"streams"`
		} `json:"connectors"`
	} `json:"data"`
	Next struct{ Arguments map[string]any } `json:"next"`
}

func (structuredOnly) catalog(seen string) []granted {
	var all []granted
	for _, connection := range parsed[struct {
		Data struct {
			Connections []struct {
				ID      string                  `json:"connection_id"`
				Streams []struct{ Name string } `json:"streams"`
			} `json:"connections"`
		} `json:"data"`
	}](seen).Data.Connections {
		for _, stream := range connection.Streams {
			all = append(all, granted{stream.Name, connection.ID})
		}
	}
	return all
}

func (structuredOnly) described(stream, seen string) []described {
	var blocks []described
	schema := parsed[shownSchema](seen)
	for _, connector := range schema.Data.Connectors {
		block := described{words: map[string][]string{}}
		for _, connection := range connector.Connections {
			block.connections = append(block.connections, connection.ID)
		}
		for _, s := range connector.Streams {
			if s.Name != stream {
				continue
			}
			for name, raw := range s.Fields {
				for _, word := range append(flagWords(raw), "fields") {
					block.words[word] = append(block.words[word], name)
				}
			}
			if s.Cursor != "" {
				block.words["sort"] = append(block.words["sort"], s.Cursor)
			}
			for _, relation := range s.Expand {
				if relation.Usable {
					block.words["expand"] = append(block.words["expand"], relation.Name)
				}
			}
		}
		for _, names := range block.words {
			slices.Sort(names)
		}
		blocks = append(blocks, block)
	}
	if schema.Next.Arguments != nil && len(blocks) > 0 {
		blocks[len(blocks)-1].rest = &call{"schema", schema.Next.Arguments}
	}
	return blocks
}

// flagWords returns the operations of a field: from compact flags, which the legend explains, or from their long form.
func flagWords(raw json.RawMessage) []string {
	var words []string
	var flags string
	if json.Unmarshal(raw, &flags) == nil {
		for flag := range strings.SplitSeq(flags, ",") {
			name, value, _ := strings.Cut(flag, "=")
			switch name {
			case "eq":
				words = append(words, "exact")
			case "r":
				words = append(words, "range", "sort")
			case "lex":
				words = append(words, "lexical")
			case "a":
				words = append(words, strings.Split(value, "|")...)
			}
		}
		return words
	}
	long := parsed[struct {
		Exact     struct{ Usable bool }            `json:"exact_filter"`
		Range     struct{ Usable bool }            `json:"range_filter"`
		Aggregate map[string]struct{ Usable bool } `json:"aggregation"`
	}](string(raw))
	if long.Exact.Usable {
		words = append(words, "exact")
	}
	if long.Range.Usable {
		words = append(words, "range", "sort")
	}
	for name, kind := range long.Aggregate {
		if kind.Usable {
			words = append(words, name)
		}
	}
	return words
}

func (structuredOnly) page(asked call, seen string) page {
	got := parsed[struct {
		Data struct {
			Records []struct {
				ID         string                     `json:"id"`
				Stream     string                     `json:"stream"`
				Connection string                     `json:"connection_id"`
				Data       map[string]json.RawMessage `json:"data"`
			} `json:"data"`
			Next    string `json:"next_cursor"`
			Changes string `json:"next_changes_since"`
			Meta    struct {
				Count    struct{ Value json.Number }
				Warnings []struct{ Code, Param string }
			}
		}
		Ladder struct {
			Records []struct {
				ID   string `json:"id"`
				Long []struct {
					Read printedRead `json:"read"`
				} `json:"long_fields"`
			} `json:"records"`
		} `json:"content_ladder"`
	}](seen)
	p := page{total: got.Data.Meta.Count.Value.String()}
	long := map[string][]call{}
	for _, record := range got.Ladder.Records {
		for _, field := range record.Long {
			long[record.ID] = append(long[record.ID], field.Read.call())
		}
	}
	var connections []string
	for _, record := range got.Data.Records {
		// The tool list says how to write an id for fetch.
		r := row{id: record.Connection + "/" + record.Stream + ":" + record.ID, values: map[string]string{}}
		r.long = long[r.id]
		for name, raw := range record.Data {
			r.values[name] = asText(raw)
		}
		p.rows = append(p.rows, r)
		if !slices.Contains(connections, record.Connection) {
			connections = append(connections, record.Connection)
		}
	}
	changes, feed := got.Data.Changes, asked.arguments["changes_since"] != nil
	switch {
	case got.Data.Next != "":
		next := asked.with("cursor", got.Data.Next)
		if feed && changes != "" {
			next = next.with("changes_since", changes)
		}
		p.next = &next
	case changes != "":
		later := asked.without("cursor").with("changes_since", changes)
		p.later = &later
	}
	for _, warning := range got.Data.Meta.Warnings {
		if warning.Code != "partial_results" || warning.Param != "connection_id" {
			continue
		}
		for _, connection := range connections {
			p.apart = append(p.apart, asked.with("connection_id", connection))
		}
	}
	return p
}

func (structuredOnly) hits(asked call, seen string) hits {
	got := parsed[struct {
		Results []struct {
			ID       string `json:"id"`
			Evidence struct {
				ID     string `json:"id"`
				Field  string `json:"field"`
				Text   string `json:"text"`
				SHA256 string `json:"sha256"`
				Start  *int   `json:"start_chars"`
				End    *int   `json:"end_chars"`
			} `json:"evidence"`
		} `json:"results"`
		Data struct {
			Next string `json:"next_cursor"`
		} `json:"data"`
	}](seen)
	var h hits
	for _, hit := range got.Results {
		h.ids = append(h.ids, hit.ID)
		e := hit.Evidence
		if e.Field == "" {
			continue
		}
		if e.ID == "" {
			e.ID = hit.ID
		}
		found := evidence{id: e.ID, field: e.Field, text: e.Text, sha256: e.SHA256, start: -1, end: -1}
		if e.Start != nil && e.End != nil {
			found.start, found.end = *e.Start, *e.End
		}
		h.evidence = append(h.evidence, found.readable())
	}
	if got.Data.Next != "" {
		next := asked.with("cursor", got.Data.Next)
		h.next = &next
	}
	return h
}

func (structuredOnly) tally(seen string) tally {
	got := parsed[struct {
		Data struct {
			Value  json.RawMessage
			Groups []struct {
				Key   json.RawMessage
				Count json.Number
			}
			Other json.Number `json:"other_count"`
		}
	}](seen).Data
	if got.Groups == nil {
		return tally{value: asText(got.Value)}
	}
	t := tally{groups: map[string]string{}, other: got.Other.String()}
	for _, group := range got.Groups {
		t.keys = append(t.keys, asText(group.Key))
		t.groups[asText(group.Key)] = group.Count.String()
	}
	return t
}

func (structuredOnly) window(seen string) window {
	got := parsed[struct {
		Window struct {
			Text       string `json:"text"`
			SHA256     string `json:"sha256"`
			Start      int    `json:"start_chars"`
			End        int    `json:"end_chars"`
			Total      int    `json:"total_chars"`
			MatchStart *int   `json:"match_start_chars"`
			MatchEnd   *int   `json:"match_end_chars"`
		} `json:"window"`
		Next struct{ Arguments map[string]any } `json:"next"`
	}](seen)
	w := window{text: got.Window.Text, sha256: got.Window.SHA256, start: got.Window.Start, end: got.Window.End, total: got.Window.Total}
	if got.Window.MatchStart != nil && got.Window.MatchEnd != nil {
		w.match = matched(w, fmt.Sprintf("%d-%d", *got.Window.MatchStart, *got.Window.MatchEnd))
	}
	if got.Next.Arguments != nil {
		w.next = &call{"read_record_field", got.Next.Arguments}
	}
	return w
}
