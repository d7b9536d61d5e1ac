package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// dataFlags say which files of the person's own are read.
type dataFlags struct {
	Data string `help:"Read your own files: a folder or a file of JSON lines, JSON, CSV, mbox, mail or iCalendar." placeholder:"PATH"`
	DB   string `name:"db" help:"Keep the index of --data in this file; in the folder of caches if absent." type:"path" placeholder:"FILE"`
}

// AfterApply drops what a client's bundle passes for a setting that was left blank: nothing, or the name of the setting as
// the bundle's manifest spells it, such as "${user_config.data}".
func (c *providerFlags) AfterApply() error {
	for _, value := range []*string{&c.ProviderURL, &c.Data} {
		if strings.HasPrefix(*value, "${user_config.") {
			*value = ""
		}
	}
	if c.Data != "" {
		c.Data = kong.ExpandPath(c.Data)
	}
	return nil
}

// embedded completes what the embedded server is started with.
func (f dataFlags) embedded(c embeddedConfig) (embeddedConfig, error) {
	if c.data, c.db = f.Data, f.DB; f.Data == "" || f.DB != "" {
		return c, nil
	}
	var err error
	c.db, err = indexFor(f.Data)
	return c, err
}

// indexFor is where the index of a path is kept by default: every command and every client finds the same one.
func indexFor(path string) (string, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", exit.UsageError("--db is needed: this system names no folder of caches.")
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	folder = filepath.Join(folder, "pdpp-mcp")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", &exit.Error{Code: exit.CannotWrite, Message: "the folder of indexes cannot be made: " + err.Error() + ". Name an index with --db."}
	}
	name := sha256.Sum256([]byte(path))
	return filepath.Join(folder, hex.EncodeToString(name[:8])+".db"), nil
}
