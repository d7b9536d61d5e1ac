package search

import (
	"database/sql"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

// A row that is damaged is an error when the index is opened, instead of a panic then or in a search.
func TestADamagedIndexIsNotOpened(t *testing.T) {
	for name, change := range map[string]string{
		"a record after one that is none": "next = x'0020'", "one of a negative number": "next = x'0001'", "too few lengths": "length = x'02'", "a number that ends early": "event = x'80'",
		"whole": "",
	} {
		db, err := sql.Open("sqlite", ":memory:")
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		defer func() { _ = db.Close() }()
		writer := NewWriter()
		for version := range int64(2) {
			writer.Add(Document{Version: version + 1, Source: 1, Texts: []string{"fog"}, Event: version, Conversation: 7})
		}
		_, err = db.ExecContext(t.Context(), Create)
		if err == nil {
			err = writer.WritePart(t.Context(), db, writer.EndPart())
		}
		if err == nil && change != "" {
			_, err = db.ExecContext(t.Context(), "UPDATE search_documents SET "+change)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Open(t.Context(), db); (err == nil) != (change == "") || err != nil && !strings.Contains(err.Error(), "is damaged") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
