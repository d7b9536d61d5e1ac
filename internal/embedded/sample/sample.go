// Package sample has a year in the life of one invented person, Nora Lindqvist of Bristol, as the files of a folder: two mailboxes, the
// chat of her team, her calendar, what she bought, and her notes. It is some 5,600 records from the middle of November 2025 to the middle
// of November 2026. The sources confirm one another: testdata/facts.json has questions that the year answers.
package sample

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"io"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// packed is the folder "year" next to this file, compressed: otherwise it would be two of the program's thirty megabytes. The folder has a
// manifest.json, a folder of JSONL files for each connection, and the files that attachments reference. Its many small files are compressed
// together, which takes a fifth less than one by one.
//
//go:embed year.zip.gz
var packed string

// Year reads the folder like the files of any person.
func Year(ctx context.Context) (model.Corpus, error) { return open(ctx, importer.Watch{}) }

func open(ctx context.Context, watch importer.Watch) (model.Corpus, error) {
	folder, err := unpack()
	if err != nil {
		return model.Corpus{}, err
	}
	year, err := importer.OpenFS(ctx, folder, "year", watch)
	year.Public = true
	return year, err
}

func unpack() (*zip.Reader, error) {
	compressed, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		return nil, err
	}
	archive, err := io.ReadAll(compressed)
	if err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
}
