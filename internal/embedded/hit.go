package embedded

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

type hitBody struct {
	ConnectorID         string        `json:"connector_id"`
	EmittedAt           string        `json:"emitted_at,omitempty"`
	MatchedFields       []string      `json:"matched_fields"`
	Object              string        `json:"object"`
	RecordKey           string        `json:"record_key"`
	RecordURL           string        `json:"record_url"`
	Stream              string        `json:"stream"`
	AuthoredAt          string        `json:"authored_at,omitempty"`
	AuthoredField       string        `json:"authored_field,omitempty"` // of the record, or of the one that it is a part of
	ConnectionID        string        `json:"connection_id"`
	ConnectorInstanceID string        `json:"connector_instance_id"`
	DisplayName         string        `json:"display_name"`
	Snippet             snippetBody   `json:"snippet"`
	EvidenceExcerpts    []excerptBody `json:"evidence_excerpts"`
	Score               *scoreBody    `json:"score,omitempty"`
	Title               string        `json:"title,omitempty"`
	Actor               string        `json:"actor,omitempty"`
	Match               search.Match  `json:"match,omitempty"`
	MatchedWords        []string      `json:"matched_words,omitempty"` // of a hit that has not all of them
	NearestWords        []string      `json:"nearest_words,omitempty"` // that it has in the place of misspelled ones

	RetrievalMode    string               `json:"retrieval_mode,omitempty"`    // semantic or hybrid; absent: lexical
	RetrievalSources []string             `json:"retrieval_sources,omitempty"` // of a hybrid hit: by which modes it was found
	Scores           map[string]scoreBody `json:"scores,omitempty"`            // of a hybrid hit, by mode
}

type snippetBody struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

// An excerptBody shows the code points of a field from StartChars up to EndChars.
type excerptBody struct {
	EndChars    int      `json:"end_chars"`
	FieldPath   string   `json:"field_path"`
	Object      string   `json:"object"`
	PreviewText string   `json:"preview_text"`
	Provenance  string   `json:"provenance"`
	Read        readBody `json:"read"`
	StartChars  int      `json:"start_chars"`
	Truncated   bool     `json:"truncated"`
}

// A readBody is the field-window read that shows an excerpt in its place.
type readBody struct {
	Field        string `json:"field"`
	Method       string `json:"method"`
	Object       string `json:"object"`
	RecordID     string `json:"record_id"`
	Route        string `json:"route"`
	Stream       string `json:"stream"`
	ConnectionID string `json:"connection_id"`
}

type scoreBody struct {
	Kind  string  `json:"kind"`
	Order string  `json:"order"`
	Value float64 `json:"value"`
}

// hitOf writes what is said of a record that was found, in whatever way. It returns the fields of the record too.
func (c *call) hitOf(s access, version int64) (hitBody, map[string]json.RawMessage, error) {
	stored, err := c.store.Version(c.ctx, s.Table, version)
	if err != nil {
		return hitBody{}, nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(stored.Data, &fields); err != nil {
		return hitBody{}, nil, fmt.Errorf("stored record: %w", err)
	}
	body := hitBody{
		ConnectorID: s.Connector.Key, EmittedAt: model.FormatInstant(stored.Emitted), MatchedFields: []string{}, Object: "search_result",
		RecordKey: stored.ID, RecordURL: recordRoute(s, stored.ID), Stream: s.Stream.Name,
		ConnectionID: s.Connection.ID, ConnectorInstanceID: s.Connection.ID, DisplayName: s.Connection.DisplayName,
		EvidenceExcerpts: []excerptBody{}, Title: s.textOf(fields, "primary-title"), Actor: s.textOf(fields, "actor"),
	}
	if body.AuthoredAt, body.AuthoredField = s.authoredAt(fields); body.AuthoredAt == "" {
		err = c.dateByParent(&body, s, fields)
	}
	return body, fields, err
}

// dateByParent gives a hit without a time that of the granted record which it is a part of, and its actor. The only part of a record, such
// as the body of a message, has its title too.
func (c *call) dateByParent(body *hitBody, s access, fields map[string]json.RawMessage) error {
	for _, parent := range c.sources {
		for _, relation := range parent.Stream.Relations {
			var id string
			part, followed := c.target(parent, relation)
			if !followed || part.Table != s.Table || part.Connection.ID != s.Connection.ID ||
				json.Unmarshal(fields[relation.ForeignKey], &id) != nil {
				continue
			}
			stored, found, err := c.store.Find(c.ctx, parent.Source, id)
			if err != nil {
				return err
			}
			var of map[string]json.RawMessage
			if !found || json.Unmarshal(stored.Data, &of) != nil {
				continue
			}
			body.AuthoredAt, body.AuthoredField = parent.authoredAt(of)
			body.Actor = cmp.Or(body.Actor, parent.textOf(of, "actor"))
			if relation.Cardinality == "has_one" {
				body.Title = cmp.Or(parent.textOf(of, "primary-title"), body.Title)
			}
			return nil
		}
	}
	return nil
}

func recordRoute(s access, id string) string {
	return "/v1/streams/" + url.PathEscape(s.Stream.Name) + "/records/" + url.PathEscape(id)
}

// excerpt writes a piece of a text of a hit.
func (h *hitBody) excerpt(path, provenance string, cut search.Cutting) {
	h.EvidenceExcerpts = append(h.EvidenceExcerpts, excerptBody{
		FieldPath: path, Object: "evidence_excerpt", PreviewText: cut.Marked, Provenance: provenance, Truncated: cut.Truncated,
		StartChars: cut.Start, EndChars: cut.End,
		Read: readBody{
			Field: path, Method: http.MethodGet, Object: "field_window_read", RecordID: h.RecordKey, Route: h.RecordURL + "/field-window",
			Stream: h.Stream, ConnectionID: h.ConnectionID,
		},
	})
	if len(h.EvidenceExcerpts) == 1 {
		h.Snippet = snippetBody{Field: path, Text: cut.Marked}
	}
}

// hit writes a hit with an excerpt of each granted text that matched, those with the rarer words first.
func (c *call) hit(s access, h search.Hit, marks *search.Marker) (hitBody, error) {
	body, fields, err := c.hitOf(s, h.Version)
	if err != nil {
		return hitBody{}, err
	}
	body.Score = &scoreBody{Kind: "bm25", Order: "lower_is_better", Value: -float64(h.Score)}
	body.Match, body.MatchedWords, body.NearestWords = h.Match, h.Words, h.Nearest
	type match struct {
		leaf  store.Leaf
		spans []search.Span
	}
	var matches []match
	for _, field := range s.Lexical {
		if _, ok := s.Granted(field.Name); !ok {
			continue
		}
		matched := false
		for _, leaf := range store.TextsIn(fields[field.Name], field.Name) {
			spans := marks.Find(leaf.Text)
			if len(spans) == 0 {
				continue
			}
			matched = true
			matches = append(matches, match{leaf, spans})
		}
		if matched {
			body.MatchedFields = append(body.MatchedFields, field.Name)
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(marks.Worth(b.spans), marks.Worth(a.spans)) })
	for _, m := range matches {
		body.excerpt(m.leaf.Path, "lexical_match", search.Snippet(m.leaf.Text, m.spans))
	}
	return body, nil
}

// maxTitle is how many code points of a title or an actor a hit shows: some streams have no title but their text.
const maxTitle = 120

// textOf returns the start of the first granted text of a role.
func (s access) textOf(fields map[string]json.RawMessage, role string) string {
	for _, field := range s.Fields {
		var text string
		if field.Role == role && json.Unmarshal(fields[field.Name], &text) == nil && text != "" {
			if runes := []rune(text); len(runes) > maxTitle {
				return string(runes[:maxTitle-1]) + "…"
			}
			return text
		}
	}
	return ""
}

// authoredAt is when a record says that it happened, and by which field, as far as that is granted.
func (s access) authoredAt(fields map[string]json.RawMessage) (at, by string) {
	names := []string{}
	for _, field := range s.Fields {
		if field.Role == "event-time" {
			names = append(names, field.Name)
		}
	}
	for _, name := range append(names, s.Stream.CursorField) {
		field, ok := s.Granted(name)
		var text string
		if ok && store.KindOf(field) == store.KindInstant && json.Unmarshal(fields[name], &text) == nil && text != "" {
			return text, name
		}
	}
	return "", ""
}
