package embedded

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// A blobBody is a response that consists of bytes instead of JSON.
type blobBody struct {
	mimeType string
	bytes    []byte
}

func (b blobBody) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", b.mimeType)
	w.Header().Set("Content-Length", strconv.Itoa(len(b.bytes)))
	w.Header().Set("Cache-Control", "private, no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(b.bytes) // the status is sent: an error cannot be reported
}

// blob answers GET /v1/blobs/{id} with the bytes, if a granted field of a granted record references them.
func (c *call) blob() any {
	id := c.path[1]
	var holders []store.BlobHolder
	if len(c.sources) > 0 { // without a source there may be no table of blobs yet
		var err error
		holders, err = c.store.BlobHolders(c.ctx, id)
		c.fail(err)
	}
	for _, holder := range holders {
		for _, s := range c.sources {
			if s.Connection.ID != holder.Connection || s.Stream.Name != holder.Stream || !c.showsBlob(s, holder.Record, id) {
				continue
			}
			mimeType, bytes, ok, err := c.store.Blob(c.ctx, id, holder)
			if c.fail(err); ok {
				return blobBody{mimeType, bytes}
			}
		}
	}
	c.refuse(newError(http.StatusNotFound, "blob_not_found", "Blob not found"))
	return nil
}

// showsBlob reports whether the source shows the record, and a field of it that references the blob.
func (c *call) showsBlob(s access, recordID, blobID string) bool {
	stored, ok := c.find(s, recordID)
	if !ok {
		return false
	}
	fields := fieldsOf(stored)
	return slices.ContainsFunc(s.Fields, func(field model.Field) bool {
		return fields.Object(field.Name).JSONString("blob_id") == blobID
	})
}
