package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// maxBlobBytes is the most bytes of attachments that one read of a stream keeps to be fetched.
const maxBlobBytes = 256 << 20

type blobBudget struct{ left int }

func (b *blobBudget) take(blob *model.Blob) *model.Blob {
	if blob == nil || len(blob.Bytes) > b.left {
		return nil
	}
	b.left -= len(blob.Bytes)
	return blob
}

func (f folder) listBlobs(blobs string) ([]sourceFile, error) {
	if blobs == "" || f.only != "" {
		return nil, nil
	}
	var files []sourceFile
	err := fs.WalkDir(f.fsys, blobs, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil && !f.excludes(info) {
			files = append(files, sourceFile{name: name, size: info.Size()})
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: blobs: there is no folder %q", schema.ManifestName, blobs)
	}
	return files, err
}

// attach reads the file that a field of type blob names, and replaces the name with a reference to its bytes. If the file cannot be used,
// the field becomes null and attach returns the reason.
func (s *fileStream) attach(one *item.Item) (reason string) {
	for _, field := range s.declared.Fields {
		if field.Type != "blob" {
			continue
		}
		value, ok := one.Value(field.Name)
		if !ok || value[0] != '"' {
			continue
		}
		content, err := s.readBlob(model.Unquote(value))
		if err != nil {
			reason = err.Error()
			one.Replace(field.Name, []byte("null"))
			continue
		}
		described, blob := item.NewBlob(cmp.Or(one.String("content_type"), "application/octet-stream"), content)
		one.Replace(field.Name, item.JSON(described))
		one.Blob = blob
	}
	return reason
}

func (s *fileStream) readBlob(name string) ([]byte, error) {
	if s.blobs == "" {
		return nil, errors.New("it names a file, and the manifest has no blobs, the folder of such files")
	}
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("it names the file %q, which is not in the folder %s", utf8text.OneLine(name), s.blobs)
	}
	place := path.Join(s.blobs, name)
	info, err := fs.Stat(s.from.fsys, place)
	if err == nil && info.Size() > item.MaxBlob {
		return nil, fmt.Errorf("it names the file %q, which has more than %d MiB", utf8text.OneLine(name), item.MaxBlob>>20)
	}
	content, err := fs.ReadFile(s.from.fsys, place)
	if err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it names the file %q, which cannot be read", utf8text.OneLine(name))
	}
	return content, nil
}
