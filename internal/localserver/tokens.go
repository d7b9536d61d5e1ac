package localserver

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"runtime"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// demoTokens returns new tokens or, with KeepTokens and an index file, those of the last start, so that clients can read after a restart.
func (c Config) demoTokens() (authority.DemoTokens, error) {
	if !c.KeepTokens || c.DB == "" {
		return authority.NewDemoTokens(rand.Reader)
	}
	key, err := keptKey(c.DB+tokenKeyEnding, c.NewTokens)
	if err != nil {
		return authority.DemoTokens{}, exit.NotReadyError(err.Error())
	}
	drawn, err := hkdf.Key(sha256.New, key, nil, "pdpp-mcp demo tokens", 512)
	if err != nil {
		return authority.DemoTokens{}, err
	}
	return authority.NewDemoTokens(bytes.NewReader(drawn))
}

// keyFile matches the content of a key file.
var keyFile = regexp.MustCompile(`^pdpp-mcp key [A-Z2-7]{52}\n$`)

// keptKey reads the key in a file. It creates the file if it is missing, or replaces it if renew is set. It refuses a file with other
// content, and one that other users can read.
func keptKey(path string, renew bool) ([]byte, error) {
	held, err := credentials.ReadSettings(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !keyFile.Match(held):
		return nil, fmt.Errorf("%s holds something else than the key of the demo's tokens: move it, or name another --db", path)
	case !renew:
		info, err := os.Stat(path)
		if err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			err = fmt.Errorf("others can read the key of the demo's tokens, %s: run with --new-token", path)
		}
		return held, err
	default:
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	made := []byte("pdpp-mcp key " + rand.Text() + rand.Text() + "\n")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // #nosec G304 -- next to the file that the user named
	if err != nil {
		return nil, fmt.Errorf("the key of the demo's tokens cannot be kept: %w: name another --db", err)
	}
	_, err = file.Write(made)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(path) // the next start would refuse a part of a key
	}
	return made, err
}
