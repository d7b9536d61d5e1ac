package item

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// MaxBlob is how large a file may be that is kept to be fetched, in bytes. A larger one is only described.
const MaxBlob = 8 << 20

// A BlobReference is the value of a field that names a blob.
type BlobReference struct {
	BlobID    string `json:"blob_id"`
	MIMEType  string `json:"mime_type"`
	SizeBytes int    `json:"size_bytes"`
	SHA256    string `json:"sha256"`
	FetchURL  string `json:"fetch_url"`
}

// NewBlob keeps a file to be fetched.
func NewBlob(mimeType string, content []byte) (BlobReference, *model.Blob) {
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	id := "blob_sha256_" + digest
	return BlobReference{id, mimeType, len(content), digest, "/v1/blobs/" + id}, &model.Blob{ID: id, MIMEType: mimeType, Bytes: content}
}
