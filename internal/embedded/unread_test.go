package embedded

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// Answers that may miss data because a file could not be read say so, to clients that may read the stream, even after a restart.
func TestAnswersReportUnreadFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	index := loadedStore(t, path, func() model.Corpus {
		corpus := noteCorpus("tea")
		corpus.LeftOut = func() []model.LeftOut {
			return []model.LeftOut{
				{ConnectionID: "cin_notes_a", File: "a.docx", Reason: "of no known kind: .jsonl, .json or .zip"},
				{ConnectionID: "cin_notes_a", File: "notes 2025.pdf", Reason: "of no known kind: a PDF"},
				{ConnectionID: "cin_notes_a", Stream: "notes", File: "notes.csv", Pieces: 412, Line: 7, Reason: "the row has 3 cells"},
				{ConnectionID: "cin_notes_b", Stream: "notes", File: "short.csv", Pieces: 500, Kept: 500, Line: 3, Reason: "the row has 2 cells"},
				{ConnectionID: "cin_notes_a", Stream: "notes", File: "bank.csv", Pieces: 3, Aside: 3, Line: 1, Reason: "above the header"},
				{ConnectionID: "cin_notes_a", Stream: "notes", File: "book.csv", Pieces: 9, Aside: 7, Kept: 1, Line: 5, Reason: "the row has 9 cells"},
				{ConnectionID: "cin_chat", Stream: "messages", File: "chat.json", Pieces: 1, Line: 2, Reason: "not JSON"},
			}
		}
		return corpus
	}())
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	index, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = index.Close() }()
	r := newRigOver(t, index, Options{})
	r.grants.Put(
		"tok-chat",
		authority.Grant{
			ID:   "grt_chat",
			Kind: authority.KindClient,
			Streams: []authority.StreamGrant{
				{ConnectorKey: "chat", Stream: "messages", ConnectionIDs: []string{"cin_chat"}, Fields: []string{"text"}},
			},
		},
	)
	const (
		rows  = "412 pieces of notes.csv were not read, the first at line 7: the row has 3 cells"
		book  = "2 pieces of book.csv were not read in full, the first at line 5: the row has 9 cells"
		short = "500 pieces of short.csv were not read in full, the first at line 3: the row has 2 cells"
		docx  = "a.docx was not read: of no known kind: .jsonl, .json or .zip"
		pdf   = "notes 2025.pdf was not read: of no known kind: a PDF"
		bank  = "3 pieces of bank.csv were not read as a record, the first at line 1: above the header"
		chat  = "Line 2 of chat.json was not read: not JSON"
	)
	for _, test := range []struct {
		token, target string
		want          []string
	}{
		{"tok-owner", "/v1/schema", []string{rows, chat, book, docx, pdf, short, bank}},
		{"tok-chat", "/v1/schema", []string{chat}},
		{"tok-chat", "/v1/search?q=coffee", []string{chat}},
		{"tok-owner", "/v1/search?q=coffee&streams=notes", []string{rows, "Not read in full either: book.csv, short.csv, bank.csv"}},
		{"tok-owner", "/v1/search?q=coffee", []string{rows, "Not read in full either: chat.json, book.csv, a.docx (not at all), notes 2025.pdf (not at all), short.csv, bank.csv"}},
		{"tok-owner", "/v1/search?q=tea", nil},
		{"tok-owner", "/v1/streams/messages/records", []string{chat}},
		{"tok-owner", "/v1/streams/notes/records", nil},
		{"tok-owner", "/v1/streams/notes/aggregate?metric=count&connection_id=cin_notes_b", []string{short}},
	} {
		var got []string
		for _, one := range r.ok(test.token, test.target).at("meta", "warnings").([]any) {
			if one := one.(map[string]any); one["code"] == "not_read" {
				got = append(got, text(one["message"]))
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", test.target, test.token, diff)
		}
	}
}

// The schema reports what was not read of the worst files, names others and counts the rest; other answers report the worst file.
func TestTheWorstFilesAreNamed(t *testing.T) {
	corpus := noteCorpus("tea")
	corpus.LeftOut = func() (all []model.LeftOut) {
		all = append(all, model.LeftOut{ConnectionID: "cin_notes_a", File: "empty.csv", Reason: model.NoRecord})
		for number := range 60 {
			all = append(all, model.LeftOut{ConnectionID: "cin_notes_a", File: fmt.Sprintf("passwords%02d.csv", number), Reason: "it holds passwords: no"})
		}
		return append(all, model.LeftOut{ConnectionID: "cin_notes_a", File: "a.ics", Pieces: 3, Line: 3, Reason: "a day of 31"})
	}
	r := newRigOver(t, loadedStore(t, filepath.Join(t.TempDir(), "index.db"), corpus), Options{})
	for target, inFull := range map[string]int{"/v1/schema": schemaUnread, "/v1/search?q=nothing-of-this": maxUnread} {
		warnings := r.ok("tok-owner", target).at("meta", "warnings").([]any)
		others := text(warnings[len(warnings)-1].(map[string]any)["message"])
		counted := fmt.Sprintf(" and %d more", 62-inFull-strings.Count(others, ".csv"))
		if len(warnings) != inFull+1 || !strings.HasPrefix(text(warnings[0].(map[string]any)["message"]), "3 pieces of a.ics were not read") ||
			!strings.HasSuffix(others, counted) || len(others) > maxWarning || strings.Contains(others, "empty.csv") {
			t.Errorf("%s: %d warnings, the last without%s: %s", target, len(warnings), counted, others)
		}
	}
}
