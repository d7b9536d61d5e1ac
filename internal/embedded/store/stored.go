package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

type storedPart struct {
	model.Part
	first, last int64 // versions of its records
	leftOut     string
	done        bool // it is complete
	streams     []storedStream
}

type storedStream struct {
	streamKey
	number int
	layout string
}

// storedParts reads the parts by name: none in a store that is new or of another version.
func storedParts(ctx context.Context, db querier) (map[string]storedPart, error) {
	if version, err := layoutOf(ctx, db); err != nil || version != indexVersion {
		return nil, err
	}
	parts := map[string]storedPart{}
	const query = "SELECT name, files, streams, first, last, left_out, done FROM parts"
	err := search.Each(ctx, db, query, nil, func(rows *sql.Rows) error {
		var part storedPart
		var streams []byte
		if err := rows.Scan(&part.Name, &part.Files, &streams, &part.first, &part.last, &part.leftOut, &part.done); err != nil {
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

func known(stored map[string]storedPart) map[string]model.Part {
	parts := map[string]model.Part{}
	for name, part := range stored {
		if part.done {
			parts[name] = part.Part
		}
	}
	return parts
}

func streamNumbers(stored map[string]storedPart) map[streamKey]int {
	numbers := map[streamKey]int{}
	for _, part := range stored {
		for _, one := range part.streams {
			numbers[one.streamKey] = one.number
		}
	}
	return numbers
}
