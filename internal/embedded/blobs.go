package embedded

import (
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// A blobBody is bytes instead of JSON.
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
	_, _ = w.Write(b.bytes) // the status is out: nothing more can reach a client that hung up
}

// blob answers GET /v1/blobs/{id}: bytes that a granted field of a granted record names.
func (c *call) blob() (any, error) {
	id := c.path[1]
	holders, err := c.blobHolders(id)
	if err != nil {
		return nil, err
	}
	for _, holder := range holders {
		for _, s := range c.sources {
			if s.connection.ID != holder.connection || s.stream.Name != holder.stream {
				continue
			}
			shown, err := c.showsBlob(s, holder.record, id)
			if err != nil {
				return nil, err
			}
			if shown {
				return c.readBlob(id, holder)
			}
		}
	}
	return nil, newError(http.StatusNotFound, "blob_not_found", "Blob not found")
}

// A blobHolder is a record that names a blob.
type blobHolder struct{ connection, stream, record string }

func (c *call) blobHolders(id string) ([]blobHolder, error) {
	if len(c.sources) == 0 {
		return nil, nil
	}
	var holders []blobHolder
	err := c.server.store.each(c.ctx, "SELECT connection_id, stream, record_id FROM blobs WHERE id = ?", []any{id}, func(rows *sql.Rows) error {
		var h blobHolder
		err := rows.Scan(&h.connection, &h.stream, &h.record)
		holders = append(holders, h)
		return err
	})
	return holders, err
}

// showsBlob reports whether the source shows the record, and in it a field that names the blob.
func (c *call) showsBlob(s access, recordID, blobID string) (bool, error) {
	stored, ok, err := c.server.store.find(c.ctx, s, recordID)
	if err != nil || !ok {
		return false, err
	}
	shown, err := s.project(stored.data, nil)
	if err != nil {
		return false, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(shown, &fields); err != nil {
		return false, err
	}
	for _, field := range fields {
		var ref struct {
			BlobID string `json:"blob_id"`
		}
		if json.Unmarshal(field, &ref) == nil && ref.BlobID == blobID {
			return true, nil
		}
	}
	return false, nil
}

func (c *call) readBlob(id string, holder blobHolder) (any, error) {
	var body blobBody
	err := c.server.store.db.QueryRowContext(c.ctx,
		"SELECT mime_type, bytes FROM blobs WHERE id = ? AND connection_id = ? AND stream = ? AND record_id = ?",
		id, holder.connection, holder.stream, holder.record).Scan(&body.mimeType, &body.bytes)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, newError(http.StatusNotFound, "blob_not_found", "Blob not found")
	}
	return body, err
}
