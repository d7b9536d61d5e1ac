package embedded

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

type hitBody struct {
	ConnectorID         string        `json:"connector_id"`
	EmittedAt           string        `json:"emitted_at"`
	MatchedFields       []string      `json:"matched_fields"`
	Object              string        `json:"object"`
	RecordKey           string        `json:"record_key"`
	RecordURL           string        `json:"record_url"`
	Stream              string        `json:"stream"`
	AuthoredAt          string        `json:"authored_at,omitempty"`
	ConnectionID        string        `json:"connection_id"`
	ConnectorInstanceID string        `json:"connector_instance_id"`
	DisplayName         string        `json:"display_name"`
	Snippet             snippetBody   `json:"snippet"`
	EvidenceExcerpts    []excerptBody `json:"evidence_excerpts"`
	Score               scoreBody     `json:"score"`
	Title               string        `json:"title,omitempty"`
	Actor               string        `json:"actor,omitempty"`
	Match               search.Match  `json:"match"`
	MatchedWords        []string      `json:"matched_words,omitempty"` // of a hit that has not all of them
	NearestWords        []string      `json:"nearest_words,omitempty"` // that it has in the place of misspelled ones
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

// hit writes a hit with an excerpt of each granted text that matched.
func (c *call) hit(s access, h search.Hit, marks *search.Marker) (hitBody, error) {
	stored, err := c.server.store.version(c.ctx, s, h.Version)
	if err != nil {
		return hitBody{}, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(stored.data, &fields); err != nil {
		return hitBody{}, fmt.Errorf("stored record: %w", err)
	}
	route := "/v1/streams/" + url.PathEscape(s.stream.Name) + "/records/" + url.PathEscape(stored.id)
	body := hitBody{
		ConnectorID: s.connector.Key, EmittedAt: formatInstant(stored.emitted), MatchedFields: []string{}, Object: "search_result",
		RecordKey: stored.id, RecordURL: route, Stream: s.stream.Name, AuthoredAt: s.authoredAt(fields), ConnectionID: s.connection.ID,
		ConnectorInstanceID: s.connection.ID, DisplayName: s.connection.DisplayName, EvidenceExcerpts: []excerptBody{},
		Score: scoreBody{Kind: "bm25", Order: "lower_is_better", Value: -float64(h.Score)},
		Title: s.textOf(fields, "primary-title"), Actor: s.textOf(fields, "actor"), Match: h.Match, MatchedWords: h.Words, NearestWords: h.Nearest,
	}
	for _, field := range s.lexical {
		if _, ok := s.granted(field.Name); !ok {
			continue
		}
		matched := false
		for _, leaf := range textsIn(fields[field.Name], field.Name) {
			spans := marks.Find(leaf.text)
			if len(spans) == 0 {
				continue
			}
			cut := search.Snippet(leaf.text, spans)
			matched = true
			body.EvidenceExcerpts = append(body.EvidenceExcerpts, excerptBody{
				FieldPath: leaf.path, Object: "evidence_excerpt", PreviewText: cut.Marked, Provenance: "lexical_match", Truncated: cut.Truncated,
				StartChars: cut.Start, EndChars: cut.End,
				Read: readBody{
					Field: leaf.path, Method: http.MethodGet, Object: "field_window_read", RecordID: stored.id, Route: route + "/field-window",
					Stream: s.stream.Name, ConnectionID: s.connection.ID,
				},
			})
		}
		if matched {
			body.MatchedFields = append(body.MatchedFields, field.Name)
		}
	}
	if len(body.EvidenceExcerpts) > 0 {
		body.Snippet = snippetBody{Field: body.EvidenceExcerpts[0].FieldPath, Text: body.EvidenceExcerpts[0].PreviewText}
	}
	return body, nil
}

// maxTitle is how many code points of a title or an actor a hit shows: some streams have no title but their text.
const maxTitle = 120

// textOf returns the start of the first granted text of a role.
func (s access) textOf(fields map[string]json.RawMessage, role string) string {
	for _, field := range s.fields {
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

// authoredAt is when a record says that it happened, as far as that is granted.
func (s access) authoredAt(fields map[string]json.RawMessage) string {
	names := []string{}
	for _, field := range s.fields {
		if field.Role == "event-time" {
			names = append(names, field.Name)
		}
	}
	for _, name := range append(names, s.stream.CursorField) {
		field, ok := s.granted(name)
		var text string
		if ok && kindOf(field) == kindInstant && json.Unmarshal(fields[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}
