package credentials

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/files"
)

// A refresh token may be sent once: the server takes a second use for theft and ends the whole grant. So a hash of the token is written
// before it is sent, into the file that will replace the credential. That file is made large enough for the answer first: a full disk then
// stops the renewal before the request, and a process that dies between request and answer leaves a trace.
const (
	nextSuffix = ".next" // the file of a renewal
	newSuffix  = ".new"  // the file of a new credential
	spareBytes = 8 << 10 // added to the size of the stored credential; more than the tokens of an answer
)

// ErrAnswerLost says that a refresh token was sent and its answer was not stored.
var ErrAnswerLost = errors.New("an earlier renewal was interrupted, and its answer is lost")

// A Reservation is the file that will replace a credential. The caller holds the lock of the path until it commits or drops the
// reservation. One that is neither committed nor dropped stays on disk and tells other processes that the answer may be lost.
type Reservation struct {
	path, next string
	// Write writes to the file; tests replace it.
	Write func(file *os.File, text []byte) (int, error)
}

type mark struct {
	Sent string `json:"sent_refresh_token_sha256"`
}

// Reserve prepares the renewal of a credential with its refresh token, which must not be sent before Reserve returns.
func (c Credential) Reserve() (*Reservation, error) {
	return reserve(c.Path, nextSuffix, c.Document, mark{c.Document.Refresh.Mark()})
}

// reserve writes a mark into the file that will replace a credential, and reserves disk space for it.
func reserve(path, suffix string, document Document, sent mark) (*Reservation, error) {
	text, _ := json.Marshal(sent) // a struct of one string never fails
	now, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return nil, err
	}
	r := &Reservation{path: path, next: path + suffix, Write: (*os.File).Write}
	file, err := os.OpenFile(r.next, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600) // #nosec G304 -- next to the credential
	if err != nil {
		return nil, err
	}
	_, err = file.Write(append(text, bytes.Repeat([]byte(" "), len(now)+spareBytes)...))
	if err = errors.Join(err, file.Chmod(0o600), file.Sync(), file.Close(), syncFolder(path)); err != nil {
		return nil, errors.Join(err, r.Drop())
	}
	return r, nil
}

// Drop deletes a reservation: nothing was sent, or the answer was a refusal.
func (r *Reservation) Drop() error { return errors.Join(os.Remove(r.next), syncFolder(r.path)) }

// Commit replaces the credential. The reservation remains after an error.
func (r *Reservation) Commit(document Document) error {
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.OpenFile(r.next, os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if _, err = r.Write(file, text); err == nil {
		err = errors.Join(file.Truncate(int64(len(text))), file.Sync())
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(r.next, r.path)
	}
	if err != nil {
		return err
	}
	return syncFolder(r.path)
}

// Reload reads the credential at the path of c again and finishes a renewal that another process wrote but did not commit. The
// caller holds the lock. If a renewal was interrupted before its answer was written, Reload returns the credential with
// ErrAnswerLost: its refresh token must not be sent again.
func (c Credential) Reload(now time.Time) (Credential, error) {
	text, _, err := files.Read(c.Path+nextSuffix, maxBytes)
	waiting := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Credential{}, err
	}
	fresh, err := c.read(now)
	if err != nil || !waiting {
		return fresh, err
	}
	if refresh := fresh.Document.Refresh; refresh != nil {
		var next struct {
			mark
			Document
		}
		if json.Unmarshal(text, &next) != nil {
			return fresh, ErrAnswerLost
		}
		finished := next.Refresh != nil && next.Refresh.Replaces == refresh.Mark()
		replaced := (next.Sent != "" || next.Refresh != nil) && !bytes.Contains(text, []byte(refresh.Mark())) // a newer credential is stored
		switch {
		case finished:
			if err := errors.Join(os.Rename(c.Path+nextSuffix, c.Path), syncFolder(c.Path)); err != nil {
				return Credential{}, err
			}
			return c.read(now)
		case !replaced:
			return fresh, ErrAnswerLost
		}
	}
	return fresh, os.Remove(c.Path + nextSuffix)
}

// IsLost reports whether a renewal of c was interrupted before its answer was written, so that c can never be renewed again.
func (c Credential) IsLost(ctx context.Context) bool {
	if _, err := os.Stat(c.Path + nextSuffix); err != nil || c.Document.Refresh == nil {
		return false
	}
	unlock, err := Lock(ctx, c.Path) // a renewal under way is not lost
	if err != nil {
		return false
	}
	defer unlock()
	_, err = c.Reload(time.Time{})
	return errors.Is(err, ErrAnswerLost)
}

// read reads the file of the credential again.
func (c Credential) read(now time.Time) (Credential, error) {
	return slot{c.Root, c.Name, c.Path, []string{filepath.Dir(c.Path)}}.open().load(c.ProviderURL, "", now)
}

// syncFolder flushes renames and removals in the folder of a path to disk. Windows has no such call.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Save replaces the credential at a path atomically, with mode 0600. The caller holds the lock of the path.
func Save(path string, document Document) error {
	r, err := reserve(path, newSuffix, document, mark{})
	if err != nil {
		return err
	}
	if err := r.Commit(document); err != nil {
		return errors.Join(err, r.Drop())
	}
	return forget(path)
}

// forget deletes what an interrupted renewal left behind.
func forget(path string) error {
	if err := os.Remove(path + nextSuffix); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Remove deletes a credential and what an interrupted renewal left behind. The caller holds the lock of the path.
func Remove(path string) error {
	return errors.Join(forget(path), os.Remove(path))
}
