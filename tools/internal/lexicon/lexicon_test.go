package lexicon

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAWordOfARoleHasOneMeaning(t *testing.T) {
	known := []string{"en", "de", "fr", "es", "it", "pt", "nl", "other"}
	for role, lists := range roles {
		meanings := map[string]string{}
		for _, l := range lists {
			if !slices.Contains(known, l.language) {
				t.Errorf("%s: %q is not the code of a language", role, l.language)
			}
			for _, word := range l.words {
				if other, ok := meanings[word]; ok && other != l.meaning {
					t.Errorf("%s: %q means both %q and %q", role, word, other, l.meaning)
				}
				meanings[word] = l.meaning
			}
		}
	}
}

func TestEveryRoleIsRead(t *testing.T) {
	var code strings.Builder
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		code.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for role := range roles {
		if !strings.Contains(code.String(), `("`+role+`")`) {
			t.Errorf("no code reads the role %q", role)
		}
	}
}

func TestTheFirstLanguageIsEnglish(t *testing.T) {
	for _, role := range []string{"common", "day", "introduces-time"} { // their readers rely on it
		if first := roles[role][0].language; first != "en" {
			t.Errorf("the first language of %s is %s", role, first)
		}
	}
	if !ByLanguage("common")[0]["the"] || ByLanguage("common")[1]["the"] {
		t.Error("the words of languages are mixed")
	}
}

func TestWordsArePhrasesWithMeanings(t *testing.T) {
	if !Of("having")["mit"] || Meanings("bound")["seit"] != "since" || !slices.Contains(Phrases("asks-number"), "how many") {
		t.Error("a word is missing, has another meaning, or lacks its space")
	}
	defer func() {
		if recover() == nil {
			t.Error("a role that no file has is accepted")
		}
	}()
	Of("no such role")
}
