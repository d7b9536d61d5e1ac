package credentials

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func granted(provider, source, grant string) Document {
	return Document{
		ProviderURL: provider, AuthorizationServer: "https://as.example",
		Credential: Issued{AccessToken: Secret("token-of-" + grant), TokenType: "Bearer", GrantID: grant}, Grant: Grant{Source: source},
	}
}

// place stores a credential and returns its name and the grant that it replaces.
func place(t *testing.T, root, name string, d Document) (stored, replaced string) {
	t.Helper()
	stored, there, err := Store(t.Context(), root, name, d)
	if err != nil {
		t.Fatal(err)
	}
	if there != nil {
		replaced = there.Credential.GrantID
	}
	return stored, replaced
}

// A grant replaces one of the same source, or with the given name, and never one of another server on the same host.
func TestAGrantReplacesItsOwn(t *testing.T) {
	root := t.TempDir()
	const anna, bert, mail, chat = "https://host.example/anna", "https://host.example/bert", "https://r.example/connectors/mail", "https://r.example/connectors/chat"
	for i, row := range []struct{ name, provider, source, stored, replaced string }{
		{"", anna, mail, "default", ""},
		{"", bert, mail, "mail", ""},
		{"", anna, chat, "chat", ""},
		{"", bert, chat, "chat-2", ""},
		{"", anna, "https://other.example/chat", "chat-3", ""},
		{"", bert, chat, "chat-2", "grt_d"},
		{"", anna, mail, "default", "grt_a"},
		{"work", anna, mail, "work", ""},
		{"work", anna, chat, "work", "grt_h"},
		{"work", bert, chat, "work-2", ""},
		{"work", bert, chat, "work-2", "grt_j"},
	} {
		grant := "grt_" + string(rune('a'+i))
		if stored, replaced := place(t, root, row.name, granted(row.provider, row.source, grant)); stored != row.stored || replaced != row.replaced {
			t.Errorf("%s: stored as %q instead of %q, replaced %q instead of %q", grant, stored, row.stored, replaced, row.replaced)
		}
	}
	if all, _ := Stored(root); len(all) != 7 {
		t.Errorf("%d are stored", len(all))
	}
	for provider, want := range map[string]int{anna: 4, bert: 3} {
		read, err := LoadCredentials(root, provider, nil, "", time.Time{})
		if err != nil || len(read) != want || len(read[0].Warnings) > 0 || len(Names(root, provider)) != want {
			t.Errorf("%s: %d with %q, names %q, %v; want %v", provider, len(read), read[0].Warnings, Names(root, provider), err, want)
		}
	}
}

// A name that is not stored is reported as missing, with the stored ones: as an error if it is the only name, otherwise as a warning.
func TestANameThatIsNotStoredIsReported(t *testing.T) {
	root := t.TempDir()
	const anna, bert = "https://host.example/anna", "https://host.example/bert"
	place(t, root, "mail", granted(anna, "https://r.example/mail", "grt_1"))
	place(t, root, "mail", granted(bert, "https://r.example/mail", "grt_2"))
	const want = "No grant of https://host.example/bert is stored as mail; there is mail-2. Run: pdpp-mcp connect https://host.example/bert --source KEY --name mail"
	if _, err := LoadCredentials(root, bert, []string{"mail"}, "", time.Time{}); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	read, err := LoadCredentials(root, bert, []string{"mail-2", "mail"}, "", time.Time{})
	if err != nil || len(read) != 1 || len(read[0].Warnings) != 1 || !strings.HasPrefix(read[0].Warnings[0], want) {
		t.Errorf("%+v, %v; want %q", read, err, want)
	}
}

// Every source key makes a valid name, and each source has its own place.
func TestEachKeyMakesAName(t *testing.T) {
	long := strings.Repeat("a-key.", 20)
	for source, want := range map[string]string{
		"https://r.example/connectors/_notes": "notes", "https://r.example/connectors/%D1%84%D0%BE": "D1-84-D0-BE", "https://r.example/connectors/default": "default-2",
		"https://r.example/connectors/" + long: strings.TrimRight(long[:64], "."), "urn:example:_": "urn-example", "https://r.example/_": "source", "https://r.example/mail": "mail",
	} {
		root := t.TempDir()
		place(t, root, "", granted("https://rs.example", "https://r.example/connectors/mail", "grt_1"))
		if stored, replaced := place(t, root, "", granted("https://rs.example", source, "grt_2")); stored != want || replaced != "" {
			t.Errorf("%s: stored as %q instead of %q, replaced %q", source, stored, want, replaced)
		}
		if stored, replaced := place(t, root, "", granted("https://rs.example", source, "grt_3")); stored != want || replaced != "grt_2" {
			t.Errorf("%s again: stored as %q, replaced %q; want %q", source, stored, replaced, want)
		}
	}
	if got := slotName("", strings.Repeat("k", 64), 12); len(got) != maxName || !strings.HasSuffix(got, "k-12") || !nameForm.MatchString(got) {
		t.Error(got)
	}
}

// Two programs store a grant while a third has the lock of the first place: neither grant is lost.
func TestGrantsThatArriveTogetherAreKept(t *testing.T) {
	root := t.TempDir()
	path, err := Path(root, DefaultName, "https://rs.example")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		unlock, err := Lock(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		for _, key := range []string{"mail", "chat"} {
			both.Go(func() {
				if _, replaced, err := Store(t.Context(), root, "", granted("https://rs.example", "https://r.example/"+key, "grt_"+key)); err != nil || replaced != nil {
					t.Errorf("%s: replaced %v, %v", key, replaced, err)
				}
			})
		}
		synctest.Wait() // both wait for a lock
		unlock()
		both.Wait()
	})
	if all, _ := Stored(root); len(all) != 2 {
		t.Errorf("%d are stored", len(all))
	}
}

// The replaced grant is known whatever the mode of its file; a file that is damaged or an owner's is overwritten.
func TestTheReplacedGrantIsKnownWhateverItsMode(t *testing.T) {
	root := t.TempDir()
	const mail = "https://r.example/connectors/mail"
	place(t, root, "", granted("https://rs.example", mail, "grt_1"))
	path, _ := Path(root, DefaultName, "https://rs.example")
	if err := os.Chmod(path, 0o666); err != nil { // #nosec G302 -- the mode is what is tested
		t.Fatal(err)
	}
	if stored, replaced := place(t, root, "", granted("https://rs.example", mail, "grt_2")); stored != DefaultName || replaced != "grt_1" {
		t.Errorf("stored as %q, replaced %q", stored, replaced)
	}
	for _, text := range []string{"{", `{"provider_url":"https://rs.example","credential":{"access_token":"x","kind":"owner"}}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if stored, replaced := place(t, root, "", granted("https://rs.example", mail, "grt_3")); stored != DefaultName || replaced != "" {
			t.Errorf("%s: stored as %q, replaced %q", text, stored, replaced)
		}
	}
}

// Whether a credential can be stored and read again is checked without writing one.
func TestAPlaceIsCheckedBeforeItIsUsed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has no such modes")
	}
	for name, row := range map[string]struct {
		prepare func(root string) error
		name    string
		says    string
	}{
		"good":                                 {func(string) error { return nil }, "", ""},
		"good, by name":                        {func(string) error { return nil }, "work", ""},
		"a folder that others may write to":    {func(root string) error { return os.Chmod(filepath.Join(root, "clients"), 0o777) }, "", "chmod go-w"},
		"a root that others may write to":      {func(root string) error { return os.Chmod(root, 0o777) }, "work", "chmod go-w"},
		"connections that others may write to": {func(root string) error { return os.Chmod(filepath.Join(root, "connections"), 0o777) }, "", "chmod go-w"},
		"no folder":                            {func(root string) error { return errors.Join(os.RemoveAll(root), os.WriteFile(root, nil, 0o600)) }, "", "not a directory"},
		"nothing can be written": {func(root string) error {
			return os.MkdirAll(filepath.Join(root, "connections", "work", "clients", checkName+newSuffix), 0o700)
		}, "work", "is a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "root")
			for _, folder := range []string{"clients", "connections"} {
				if err := os.MkdirAll(filepath.Join(root, folder), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := row.prepare(root); err != nil {
				t.Fatal(err)
			}
			err := Check(t.Context(), root, row.name)
			if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("%v instead of %q", err, row.says)
			}
			left, _ := filepath.Glob(filepath.Join(root, "*", "*.new"))
			if len(left) > 0 {
				t.Errorf("it leaves %q", left)
			}
			if strings.HasPrefix(name, "a folder") {
				if _, _, err := Store(t.Context(), root, row.name, granted("https://rs.example", "https://r.example/mail", "grt_1")); err == nil {
					t.Error("it is stored where it cannot be read")
				}
			}
		})
	}
}

// Nothing is written to a folder that another user can change, nor through the links in it.
func TestNothingIsWrittenToFoldersOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has no such modes")
	}
	check := func(name string) func(string) error {
		return func(root string) error { return Check(t.Context(), root, name) }
	}
	store := func(root string) error {
		_, _, err := Store(t.Context(), root, "work", granted("https://rs.example", "https://r.example/mail", "grt_1"))
		return err
	}
	lock := func(root string) error {
		_, err := Lock(t.Context(), filepath.Join(root, "connections", "work", "clients", "rs.example.json"))
		return err
	}
	for name, row := range map[string]struct {
		write func(root string) error
		open  []string // folders, each of which others may write to in turn
	}{
		"a check":           {check(""), []string{"", "clients", "connections"}},
		"a check of a name": {check("work"), []string{"", "clients", "connections", "connections/work", "connections/work/clients"}},
		"a new credential":  {store, []string{"", "clients", "connections", "connections/work", "connections/work/clients"}},
		"a lock":            {lock, []string{"connections/work", "connections/work/clients"}},
	} {
		for _, folder := range row.open {
			root, target := filepath.Join(t.TempDir(), "root"), filepath.Join(t.TempDir(), "target")
			folder = filepath.Join(root, folder)
			err := errors.Join(os.MkdirAll(filepath.Join(root, "clients"), 0o700), os.MkdirAll(filepath.Join(root, "connections", "work", "clients"), 0o700),
				os.Symlink(target, filepath.Join(folder, "places.lock")), os.Symlink(target, filepath.Join(folder, "rs.example.json.lock")), os.Chmod(folder, 0o777))
			if err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadDir(folder)
			if err := row.write(root); err == nil || !strings.Contains(err.Error(), "chmod go-w on it") {
				t.Errorf("%s, %s: %v", name, folder, err)
			}
			after, _ := os.ReadDir(folder)
			if _, err := os.Stat(target); err == nil || len(after) != len(before) {
				t.Errorf("%s, %s: it has %v, then %v; the target of the links: %v", name, folder, before, after, err)
			}
		}
	}
}

// The ignore file that keeps a cache out of a repository is written again if it is not complete.
func TestAnEmptyIgnoreFileIsWrittenAgain(t *testing.T) {
	root := t.TempDir()
	ignore := filepath.Join(root, ".gitignore")
	if err := os.WriteFile(ignore, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	place(t, root, "", granted("https://rs.example", "https://r.example/mail", "grt_1"))
	if text, err := os.ReadFile(ignore); string(text) != "*\n!.gitignore\n" {
		t.Errorf("%q, %v", text, err)
	}
	if err := os.WriteFile(ignore, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	place(t, root, "", granted("https://rs.example", "https://r.example/mail", "grt_2"))
	if text, err := os.ReadFile(ignore); string(text) != "mine\n" {
		t.Errorf("%q, %v", text, err)
	}
	left, err := fs.Glob(os.DirFS(root), "*new*")
	if len(left) > 0 {
		t.Errorf("%q, %v", left, err)
	}
}
