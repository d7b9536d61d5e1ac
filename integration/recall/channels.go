package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A sight is what a model sees on one channel of an answer.
type sight struct {
	ids   []string        // of the hits in order, without duplicates
	chars int             // of the whole channel
	says  bool            // it says that there are no hits, that a word is nowhere, or that no record has all words
	retry json.RawMessage // arguments of the search that a channel without hits proposes; nil: none
}

var (
	shownID  = regexp.MustCompile(`pdpp://record/[^\s"|,;})]+|[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+:[^\s"|,;})]+`)
	nextPage = regexp.MustCompile(`(?m)^next( page)?: .*$`)
	offered  = regexp.MustCompile(`search (\{.*\})`)
	quoted   = regexp.MustCompile(`"(?:[^"\\]|\\.)*search \{(?:[^"\\]|\\.)*"`)
	saysNone = regexp.MustCompile(`\b0 hits\b|nowhere in|No record (has all|was found for any) of|Nothing found`)
)

// readText returns what a model sees through a client that shows only the text.
func readText(text string) sight {
	return read(text, shownID.FindAllString(nextPage.ReplaceAllString(text, ""), -1), text)
}

// readStructured returns what a model sees through a client that shows only the structured output.
func readStructured(structured json.RawMessage) (sight, error) {
	var answer struct{ Results []struct{ ID string } }
	err := json.Unmarshal(structured, &answer)
	var ids []string
	for _, result := range answer.Results {
		ids = append(ids, result.ID)
	}
	offer, _ := strconv.Unquote(string(quoted.Find(structured))) // "" if none is proposed
	s := read(string(structured), ids, offer)
	s.says = s.says || len(ids) == 0
	return s, err
}

func read(channel string, ids []string, offer string) sight {
	s := sight{chars: utf8.RuneCountInString(channel), says: saysNone.MatchString(channel)}
	for _, id := range ids {
		if id = strings.TrimRight(id, ".:"); !slices.Contains(s.ids, id) {
			s.ids = append(s.ids, id)
		}
	}
	if match := offered.FindStringSubmatch(offer); match != nil && len(s.ids) == 0 && json.Valid([]byte(match[1])) {
		s.retry = json.RawMessage(match[1])
	}
	return s
}
