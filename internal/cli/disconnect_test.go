package cli

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
)

// disconnect does not remove a grant that was stored under the same name while it waited for the lock.
func TestDisconnectLeavesAGrantThatArrivesMeanwhile(t *testing.T) {
	root := t.TempDir()
	document := func(grant string) credentials.Document {
		return credentials.Document{
			ProviderURL: "https://rs.example", AuthorizationServer: "http://127.0.0.1:1",
			Credential: credentials.Issued{AccessToken: credentials.Secret("token-of-" + grant), GrantID: grant}, Grant: credentials.Grant{Source: "https://r.example/mail"},
		}
	}
	if _, _, err := credentials.Store(t.Context(), root, "", document("grt_1")); err != nil {
		t.Fatal(err)
	}
	path, err := credentials.Path(root, credentials.DefaultName, "https://rs.example")
	if err != nil {
		t.Fatal(err)
	}
	disconnect := func(t *testing.T) error {
		return disconnectCommand{Force: true, cacheFlags: cacheFlags{root}}.run(t.Context(), App{Out: io.Discard, Err: io.Discard}, "https://rs.example")
	}
	synctest.Test(t, func(t *testing.T) {
		unlock, err := credentials.Lock(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		result := make(chan error)
		go func() { result <- disconnect(t) }()
		synctest.Wait() // waits for the lock
		if err := credentials.Save(path, document("grt_2")); err != nil {
			t.Error(err)
		}
		unlock()
		if err := <-result; err == nil || !strings.Contains(err.Error(), "another grant") {
			t.Errorf("disconnect returned %v", err)
		}
	})
	if all, _ := credentials.Stored(root); len(all) != 1 || all[0].GrantID != "grt_2" {
		t.Errorf("left are %+v", all)
	}
	if err := disconnect(t); err != nil {
		t.Error(err)
	}
	if all, _ := credentials.Stored(root); len(all) != 0 {
		t.Errorf("left are %+v", all)
	}
}
