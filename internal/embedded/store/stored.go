package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// A storedPart is what the store knows about a part of what it holds.
type storedPart struct {
	model.Part
	columns     int   // that the search index has
	first, last int64 // versions of its records
	done        bool  // all of it is there
	streams     []storedStream
}

type storedStream struct {
	streamKey
	number int
	layout string
}

// storedParts are none in a store that is new or of another version.
func storedParts(ctx context.Context, db querier) (map[string]storedPart, error) {
	var version, tables int
	if err := db.QueryRowContext(ctx, "SELECT user_version, (SELECT count(*) FROM sqlite_schema WHERE name = 'streams') "+
		"FROM pragma_user_version").Scan(&version, &tables); err != nil || version != indexVersion || tables == 0 {
		return nil, err
	}
	parts := map[string]storedPart{}
	err := search.Each(ctx, db, "SELECT name, files, streams, columns, first, last, done FROM parts", nil, func(rows *sql.Rows) error {
		var part storedPart
		var streams []byte
		if err := rows.Scan(&part.Name, &part.Files, &streams, &part.columns, &part.first, &part.last, &part.done); err != nil {
			return err
		}
		if err := json.Unmarshal(streams, &part.Streams); err != nil {
			return fmt.Errorf("stored part: %w", err)
		}
		parts[part.Name] = part
		return nil
	})
	if err != nil {
		return nil, err
	}
	return parts, search.Each(ctx, db, "SELECT part, connector, stream, number, layout FROM streams", nil, func(rows *sql.Rows) error {
		var name string
		var one storedStream
		err := rows.Scan(&name, &one.connector, &one.stream, &one.number, &one.layout)
		part := parts[name]
		part.streams = append(part.streams, one)
		parts[name] = part
		return err
	})
}

// known are the parts of which all is there.
func known(stored map[string]storedPart) map[string]model.Part {
	parts := map[string]model.Part{}
	for name, part := range stored {
		if part.done {
			parts[name] = part.Part
		}
	}
	return parts
}

// A querier is where a load writes: the database itself, or one transaction in it.
type querier interface {
	search.Database
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func meta(ctx context.Context, db querier, name string) (value string, err error) {
	err = db.QueryRowContext(ctx, "SELECT value FROM meta WHERE name = ?", name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, err
}

func setMeta(ctx context.Context, db search.Database, name, value string) error {
	_, err := db.ExecContext(ctx, "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", name, value)
	return err
}
