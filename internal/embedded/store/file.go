package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
)

// The application id and layout version in the header of an index file. Each change of the layout changes the version, so that older
// indexes are rebuilt.
const (
	indexApplication = 0x50445050 // "PDPP"
	indexVersion     = 12
)

// Suffixes of the files that SQLite keeps next to a database, with the same file mode.
var companions = []string{"-wal", "-shm", "-journal"}

// An IndexError says why a file cannot be used as an index. The file and its companions are unchanged.
type IndexError struct {
	Path    string
	Reason  string // continues "the index file PATH"
	Damaged bool   // the file is corrupt, and the reason stands alone
}

// Error also says what to do. A damaged file is not rebuilt automatically: its source files may be gone.
func (e *IndexError) Error() string {
	if e.Damaged {
		return fmt.Sprintf("The index file %q is damaged: %s. Delete it with its -wal and -shm files, or name another, and the files are "+
			"read again.", e.Path, e.Reason)
	}
	return fmt.Sprintf("The index file %q %s. It was not changed: name another file, or one that does not exist yet.", e.Path, e.Reason)
}

// IndexFiles lists the index file at path and the companions that it may have.
func IndexFiles(path string) []string {
	files := []string{path}
	for _, ending := range companions {
		files = append(files, path+ending)
	}
	return files
}

// HeldIndex returns the fingerprint of the corpus in an index file, even of an older version, and changes nothing. It is empty if the file
// is absent or empty, or if its last load did not finish. Errors are *IndexError values.
func HeldIndex(ctx context.Context, path string) (fingerprint string, err error) {
	version, err := inspectIndex(ctx, path)
	if err != nil || version < 0 {
		return "", err
	}
	err = readIndex(path, func(db *sql.DB) error {
		if ok, err := hasTable(ctx, db, "meta"); !ok {
			return err
		}
		var err error
		fingerprint, err = meta(ctx, db, metaFingerprint)
		return err
	})
	return fingerprint, err
}

// CheckIndex returns an *IndexError if the file cannot be used as an index. It changes nothing.
func CheckIndex(ctx context.Context, path string) error {
	_, err := inspectIndex(ctx, path)
	return err
}

// inspectIndex returns the version of the index in a file, or -1 if the file is absent or empty. It only reads, and opens only regular
// files. Errors are *IndexError values.
func inspectIndex(ctx context.Context, path string) (version int, err error) {
	refuse := func(format string, arguments ...any) (int, error) {
		return 0, &IndexError{Path: path, Reason: fmt.Sprintf(format, arguments...)}
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return refuse("cannot be read: %v", err)
	case err != nil || info.Size() == 0 && info.Mode().IsRegular():
		name := companion(path, func(fs.FileInfo) bool { return true })
		if name == "" {
			return -1, nil
		}
		if info, err := os.Lstat(path); err == nil && info.Size() > 0 { // another process has created it since
			return inspectIndex(ctx, path)
		}
		return refuse("is absent or empty, and %q belongs to another database", name)
	case info.IsDir():
		return refuse("is a folder")
	case info.Mode()&fs.ModeSymlink != 0:
		return refuse("is a link, and links are not followed")
	case !info.Mode().IsRegular():
		return refuse("is not a regular file")
	}
	if name := companion(path, func(info fs.FileInfo) bool { return !info.Mode().IsRegular() }); name != "" {
		return refuse("cannot be used: %q is not a regular file", name)
	}
	application, version, err := indexHeader(path)
	if wal, statErr := os.Stat(path + "-wal"); err == nil && application == indexApplication && statErr == nil && wal.Size() > 0 {
		err = readIndex(path, func(db *sql.DB) error { // the header may still be in the log
			return errors.Join(db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&application),
				db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version))
		})
	}
	if refused, ok := errors.AsType[*IndexError](err); ok {
		return 0, refused
	}
	switch {
	case err != nil:
		return refuse("cannot be read: %v", err)
	case application != indexApplication:
		return refuse("is not an index of pdpp-mcp")
	case version > indexVersion:
		return refuse("was made by a newer pdpp-mcp (index version %d, this program knows %d)", version, indexVersion)
	}
	return version, nil
}

// companion returns the first companion of a database that satisfies is, or "".
func companion(path string, is func(fs.FileInfo) bool) string {
	for _, ending := range companions {
		if info, err := os.Lstat(path + ending); err == nil && is(info) {
			return path + ending
		}
	}
	return ""
}

// indexHeader reads the application id and version from a file: 0 and 0 if it is not a SQLite database.
func indexHeader(path string) (application, version int, err error) {
	file, err := os.Open(path) // #nosec G304 -- the file that the user named
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = file.Close() }() // it was only read
	header := make([]byte, 100)
	_, err = io.ReadFull(file, header)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), err == nil && string(header[:16]) != "SQLite format 3\x00":
		return 0, 0, nil
	case err != nil:
		return 0, 0, err
	}
	number := func(at int) int { return int(int32(binary.BigEndian.Uint32(header[at:]))) } // #nosec G115 -- they are signed
	return number(68), number(60), nil
}

// readIndex opens an index for use to read. It changes neither the database nor its write-ahead log.
func readIndex(path string, use func(*sql.DB) error) error {
	query := url.Values{"mode": {"ro"}, "_pragma": {busyTimeout}}
	if wal, err := os.Stat(path + "-wal"); err != nil || wal.Size() == 0 {
		query.Set("immutable", "1") // otherwise SQLite creates files next to it
	}
	db, err := openFile(path, query)
	if err != nil {
		return err
	}
	if err := errors.Join(use(db), db.Close()); err != nil {
		return &IndexError{Path: path, Reason: fmt.Sprintf("cannot be read: %v", err)}
	}
	return nil
}

// claimIndex turns an absent or empty file into an index, and makes an index readable by its owner only. Errors are *IndexError values.
func claimIndex(ctx context.Context, path string) error {
	version, err := inspectIndex(ctx, path)
	if err != nil {
		return err
	}
	if version < 0 {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // #nosec G304 -- the file that the user named
		if err == nil {
			err = file.Close()
		}
		if err != nil && !errors.Is(err, fs.ErrExist) { // an empty file exists
			return &IndexError{Path: path, Reason: fmt.Sprintf("cannot be created: %v", err)}
		}
	}
	for _, name := range IndexFiles(path) {
		if err := os.Chmod(name, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &IndexError{Path: path, Reason: fmt.Sprintf("cannot be made private: %v", err)}
		}
	}
	if version < 0 {
		return stampIndex(ctx, path)
	}
	return nil
}

// stampIndex writes the header of an empty index atomically and without companions: an empty file that has companions is not ours.
func stampIndex(ctx context.Context, path string) error {
	db, err := openFile(path, url.Values{"_pragma": {busyTimeout, "journal_mode(memory)"}})
	if err != nil {
		return err
	}
	err = exec(ctx, db, fmt.Sprintf("BEGIN; PRAGMA application_id = %d; PRAGMA user_version = 0; COMMIT", indexApplication))
	if err = errors.Join(err, db.Close()); err != nil {
		return &IndexError{Path: path, Reason: fmt.Sprintf("cannot be made: %v", err)}
	}
	return nil
}

func openFile(path string, query url.Values) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: query.Encode()}
	return sql.Open("sqlite", name.String())
}

// busyTimeout is how long a statement waits for another process, in milliseconds.
const busyTimeout = "busy_timeout(10000)"
