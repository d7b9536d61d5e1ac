// Package database reads the tables of SQLite files. It reads a file in memory, as data only: it runs nothing that the file defines, except
// the expressions of generated columns, which can only compute a value from their row.
package database

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// MaxBytes is the maximum size of a database, and of its log, in bytes.
const MaxBytes = 256 << 20

// Is reports whether a file begins like a database.
func Is(start []byte) bool { return bytes.HasPrefix(start, []byte("SQLite format 3\x00")) }

// IsIndex reports whether a file begins like an index of this program.
func IsIndex(start []byte) bool {
	return Is(start) && len(start) >= 72 && string(start[68:72]) == "PDPP"
}

// computedBytes is the most bytes of a generated value in a small database.
const computedBytes = 1 << 20

// PageSize is the smallest page of a database, in bytes. The size of every database is a multiple of it.
const PageSize = 512

// A Table is an ordinary table.
type Table struct {
	Name    string
	Key     string // the primary key, if it is a single column
	Parents []Parent
	failing []string // generated columns that are not read, because computing them fails
	columns []string
	times   []string // columns with the times of Apple's Core Data, in seconds since 2001
	flags   []string // columns with 0 and 1 for false and true
}

// A Parent is a foreign key: a column with keys of the rows of a table.
type Parent struct{ Column, Table string }

// settings are connection parameters that keep a file from changing anything and from having its own expressions run.
const settings = "?_defensive=1&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)"

// A File is a database in memory.
type File struct {
	db   *sql.DB
	conn *sql.Conn
	size int
	err  error // of the first query that failed; later ones return nothing
}

// Close releases the database.
func (f *File) Close() error { return errors.Join(f.conn.Close(), f.db.Close()) }

// Open reads a database with its write-ahead log, which may be empty.
func Open(ctx context.Context, from, log io.Reader) (*File, error) {
	content, err := readAll(from)
	if err != nil {
		return nil, err
	}
	if !Is(content) || len(content) < 100 {
		return nil, errors.New("not a database that can be read, or an encrypted one")
	}
	if content, err = withLog(ctx, content, log); err != nil {
		return nil, err
	}
	content[18], content[19] = 1, 1 // not in WAL mode: there is no log any more
	db, err := sql.Open("sqlite", "file::memory:"+settings)
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	f := &File{db: db, conn: conn, size: len(content)}
	err = conn.Raw(func(driver any) error {
		in, ok := driver.(interface{ Deserialize([]byte) error })
		if !ok {
			return errors.New("the driver reads no database in memory")
		}
		return in.Deserialize(content)
	})
	if err == nil {
		_, err = conn.ExecContext(ctx, "PRAGMA query_only = 1")
	}
	if err == nil { // a generated column is computed: its values can be as long as a stored one, or computedBytes
		_, err = sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, max(len(content), computedBytes))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func readAll(from io.Reader) ([]byte, error) {
	large := fmt.Errorf("a database of more than %d MiB", MaxBytes>>20)
	size := 0
	if file, ok := from.(fs.File); ok {
		if info, err := file.Stat(); err == nil && info.Size() > MaxBytes {
			return nil, large
		} else if err == nil {
			size = int(info.Size()) + bytes.MinRead // else the buffer grows to twice the size
		}
	}
	var content bytes.Buffer
	content.Grow(size)
	_, err := content.ReadFrom(io.LimitReader(from, MaxBytes+1))
	if err == nil && content.Len() > MaxBytes {
		err = large
	}
	return content.Bytes(), err
}

// withLog merges a write-ahead log into a temporary copy of its database, and returns the content of the copy.
func withLog(ctx context.Context, content []byte, log io.Reader) (merged []byte, err error) {
	more, err := readAll(log)
	if err != nil || len(more) == 0 {
		return content, err
	}
	dir, err := os.MkdirTemp("", "pdpp-mcp-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	name := filepath.Join(dir, "copy")
	if err := errors.Join(os.WriteFile(name, content, 0o600), os.WriteFile(name+"-wal", more, 0o600)); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(name)+settings)
	if err != nil {
		return nil, err
	}
	_, err = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(name) // #nosec G304 -- the copy
}

// Tables returns the ordinary tables of a database, and the reasons why other tables or some of their columns are not read.
func Tables(ctx context.Context, from, log io.Reader) (tables []Table, reasons []string, err error) {
	f, err := Open(ctx, from, log)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, name := range f.strings(ctx, `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual' ORDER BY name`) {
		reasons = append(reasons, fmt.Sprintf("the table %q is virtual: only ordinary tables are read", name))
	}
	var failing []string
	for _, name := range f.strings(ctx, `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND `+
		`name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`) {
		switch one := f.table(ctx, name); {
		case len(one.columns) > item.MaxFields:
			reasons = append(reasons, fmt.Sprintf("the table %q has more than %d columns", name, item.MaxFields))
		case len(one.columns) > 0:
			tables = append(tables, one)
			for _, column := range one.failing {
				failing = append(failing, fmt.Sprintf("the column %q of the table %q cannot be computed: it needs the program that made it",
					column, name))
			}
		}
	}
	return tables, append(reasons, failing...), f.err
}

// strings returns the only column of the result of a query.
func (f *File) strings(ctx context.Context, query string, arguments ...any) (all []string) {
	if f.err != nil {
		return nil
	}
	rows, err := f.conn.QueryContext(ctx, query, arguments...)
	if err != nil {
		f.err = err
		return nil
	}
	defer func() { f.err = errors.Join(f.err, rows.Err(), rows.Close()) }()
	for rows.Next() {
		var one string
		f.err = errors.Join(f.err, rows.Scan(&one))
		all = append(all, one)
	}
	return all
}

func (f *File) table(ctx context.Context, name string) Table {
	one := Table{Name: name}
	one.columns = f.strings(ctx, "SELECT name FROM pragma_table_xinfo(?) ORDER BY cid", name)
	for _, computed := range f.strings(ctx, "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 2", name) {
		query := "SELECT count(" + quoted(computed) + ") FROM " + quoted(name) // computes all its values
		if err := f.conn.QueryRowContext(ctx, query).Scan(new(int)); err != nil {
			one.failing = append(one.failing, computed)
		}
	}
	one.columns = slices.DeleteFunc(one.columns, func(column string) bool { return slices.Contains(one.failing, column) })
	one.times = f.strings(ctx, `SELECT name FROM pragma_table_info(?1) WHERE type = 'TIMESTAMP' AND name LIKE 'Z%' AND EXISTS `+
		`(SELECT * FROM pragma_table_info(?1) WHERE name = 'Z_PK')`, name)
	one.flags = f.flags(ctx, one)
	if keys := f.strings(ctx, "SELECT name FROM pragma_table_info(?) WHERE pk > 0", name); len(keys) == 1 {
		one.Key = keys[0]
	}
	columns := f.strings(ctx, `SELECT "from" FROM pragma_foreign_key_list(?) WHERE seq = 0 ORDER BY id`, name)
	parents := f.strings(ctx, `SELECT "table" FROM pragma_foreign_key_list(?) WHERE seq = 0 ORDER BY id`, name)
	for index := range min(len(columns), len(parents)) {
		one.Parents = append(one.Parents, Parent{columns[index], parents[index]})
	}
	return one
}

// flags returns the columns of a table that are named or declared as flags and have only 0, 1 and NULL.
func (f *File) flags(ctx context.Context, table Table) (flags []string) {
	named := f.strings(ctx, `SELECT name FROM pragma_table_xinfo(?) WHERE pk = 0 AND (type LIKE 'BOOL%' OR name LIKE 'is\_%' ESCAPE '\' `+
		`OR name LIKE 'has\_%' ESCAPE '\')`, table.Name)
	named = slices.DeleteFunc(named, func(column string) bool { return !slices.Contains(table.columns, column) })
	if len(named) == 0 || f.err != nil {
		return nil
	}
	others, found, targets := make([]string, len(named)), make([]bool, len(named)), make([]any, len(named))
	for index, column := range named {
		others[index] = fmt.Sprintf("coalesce(max(typeof(%[1]s) NOT IN ('integer', 'null') OR %[1]s NOT IN (0, 1)), 0)", quoted(column))
		targets[index] = &found[index]
	}
	query := "SELECT " + strings.Join(others, ", ") + " FROM " + quoted(table.Name)
	if err := f.conn.QueryRowContext(ctx, query).Scan(targets...); err != nil { // a damaged row: the others are read
		return nil
	}
	for index, column := range named {
		if !found[index] {
			flags = append(flags, column)
		}
	}
	return flags
}

// Records reads the rows of a table. The caller ends the iteration before it reads the rows of another table.
func (f *File) Records(ctx context.Context, table string) item.Records {
	return func(yield func(item.Item, error) bool) {
		if more, err := f.read(ctx, table, yield); more && err != nil {
			yield(item.Item{}, unusable(err))
		}
	}
}

func (f *File) read(ctx context.Context, name string, yield func(item.Item, error) bool) (more bool, err error) {
	of := f.table(ctx, name)
	if len(of.columns) == 0 {
		return true, cmp.Or(f.err, errors.New("the table is gone"))
	}
	columns, values, targets := make([]string, len(of.columns)), make([]any, len(of.columns)), make([]any, len(of.columns))
	for index, name := range of.columns {
		// A value is read as it is stored, because the driver would convert the times in a column that is declared for times. Of a blob
		// only the number of bytes is read. A text that is too long becomes an empty blob, which no other value does.
		form := "CASE WHEN typeof(%[1]s) = 'blob' THEN CAST(octet_length(%[1]s) AS BLOB) WHEN octet_length(%[1]s) > %[2]d THEN x'' ELSE %[1]s END"
		if name == bodyColumn {
			form = "CASE WHEN octet_length(%[1]s) <= %[2]d THEN %[1]s END"
		}
		columns[index], targets[index] = fmt.Sprintf(form, quoted(name), item.MaxLine), &values[index]
	}
	rows, err := f.conn.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+quoted(of.Name)) //nolint:gosec // names in quotation marks
	if err != nil {
		return true, err
	}
	defer func() { err = errors.Join(err, rows.Err(), rows.Close()) }()
	for number := 1; rows.Next() && number <= f.size+1; number++ { // a corrupt table may be circular
		var one item.Item
		err := rows.Scan(targets...)
		if err != nil {
			err = unusable(err)
		} else {
			one, err = of.row(number, values)
		}
		if !yield(one, err) {
			return false, nil
		}
	}
	return true, nil
}

func (t Table) row(number int, values []any) (item.Item, error) {
	one := item.Item{Line: number}
	size, body := 0, ""
	for index, name := range t.columns {
		value := valueOf(values[index], slices.Contains(t.times, name))
		if number, isNumber := values[index].(int64); isNumber && slices.Contains(t.flags, name) {
			value = strconv.AppendBool(nil, number == 1)
		}
		digits, isBytes := values[index].([]byte)
		if isBytes && name == bodyColumn {
			body, digits = bodyText(digits), strconv.AppendInt(nil, int64(len(digits)), 10)
		}
		if isBytes {
			value = bytes.Clone(digits)
			for name += "_bytes"; slices.Contains(t.columns, name); {
				name += "_2"
			}
		}
		if size += len(value); size > item.MaxLine || len(value) == 0 {
			return item.Item{}, item.Unusable(number, "a row %s", item.ErrTooLong)
		}
		one.Fields = append(one.Fields, item.Field{Name: name, Value: value})
	}
	if value, _ := one.Value("text"); body != "" && string(value) == "null" {
		one.Replace("text", item.JSON(body))
	}
	if key, ok := one.Value(t.Key); ok && t.Key != "" && string(key) != "null" {
		if one.ID = string(key); key[0] == '"' {
			one.ID = model.Unquote(key)
		}
	}
	return one, nil
}

func unusable(err error) error {
	return item.UnusableError{Reason: "cannot be read on: " + utf8text.OneLine(err.Error())}
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
