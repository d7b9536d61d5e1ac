package store

import (
	"context"
	"database/sql"
	"errors"
)

// A BlobHolder is a record that names a blob.
type BlobHolder struct{ Connection, Stream, Record string }

// BlobHolders lists the records that name a blob.
func (s *Store) BlobHolders(ctx context.Context, id string) ([]BlobHolder, error) {
	var holders []BlobHolder
	err := s.each(ctx, "SELECT connection_id, stream, record_id FROM blobs WHERE id = ?", []any{id}, func(rows *sql.Rows) error {
		var h BlobHolder
		err := rows.Scan(&h.Connection, &h.Stream, &h.Record)
		holders = append(holders, h)
		return err
	})
	return holders, err
}

// Blob reads the bytes that a record names.
func (s *Store) Blob(ctx context.Context, id string, of BlobHolder) (mimeType string, bytes []byte, ok bool, err error) {
	err = s.db.QueryRowContext(ctx,
		"SELECT mime_type, bytes FROM blobs WHERE id = ? AND connection_id = ? AND stream = ? AND record_id = ?",
		id, of.Connection, of.Stream, of.Record).Scan(&mimeType, &bytes)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil, false, nil
	}
	return mimeType, bytes, err == nil, err
}
