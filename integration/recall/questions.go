package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A question has known evidence.
type question struct {
	Stream string   `json:"stream"` // of the evidence; empty: Gold has complete ids
	Q      string   `json:"q"`
	Gold   []string `json:"gold"` // the records that answer it: ids in Stream or complete ids; "A|B": either; empty: the true answer is no
	Part   string   `json:"part"`
	Kind   string   `json:"kind"`
}

// readQuestions returns the questions of a part, or all if part is empty.
func readQuestions(path, part string) (all []question, err error) {
	text, err := os.ReadFile(path) // #nosec G304 -- the user's file
	for lines := json.NewDecoder(bytes.NewReader(text)); lines.More() && err == nil; {
		var q question
		if err = lines.Decode(&q); part == "" || q.Part == part {
			all = append(all, q)
		}
	}
	return all, err
}

// streams returns the streams with the evidence.
func (q question) streams() (names []string) {
	if q.Stream != "" {
		return []string{q.Stream}
	}
	for _, gold := range q.Gold {
		_, name, _ := strings.Cut(gold, "/") // ids are connection/stream:record
		if name, _, _ = strings.Cut(name, ":"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// find returns the index of the gold record with a shown id, in any form of the id, or -1.
func (q question) find(id string) int {
	ref, err := rs.ParseRef(id)
	return slices.IndexFunc(q.Gold, func(gold string) bool {
		return err == nil && slices.ContainsFunc(strings.Split(gold, "|"), func(one string) bool {
			return one == ref.ConnectionID+"/"+ref.Stream+":"+ref.RecordID || one == ref.RecordID && q.Stream == ref.Stream
		})
	})
}
