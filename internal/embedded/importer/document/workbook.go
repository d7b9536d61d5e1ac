package document

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

// maxSheet is the most bytes of XML that are read of a sheet, and the most bytes of rows that are made of it. For what sheets share the
// limit is maxXML.
const maxSheet = 1 << 30

// OpenWorkbook reads the list of the sheets of a workbook. If it succeeds, closing the workbook closes its file.
func OpenWorkbook(file fs.File) (*Workbook, error) {
	parts, size, err := packed(file, "workbook")
	if err != nil {
		return nil, err
	}
	b := &Workbook{Closer: file, parts: parts, size: size, epoch: time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC),
		shared: map[string]string{"sharedStrings": "xl/sharedStrings.xml", "styles": "xl/styles.xml"}}
	places := map[string]string{}
	err = b.each("xl/_rels/workbook.xml.rels", func(e xml.StartElement) {
		target := attribute(e, "Target")
		if !strings.HasPrefix(target, "/") {
			target = "/xl/" + target
		}
		target = strings.TrimPrefix(path.Clean(target), "/")
		switch kind := path.Base(attribute(e, "Type")); {
		case kind == "worksheet":
			places[attribute(e, "Id")] = target
		case b.shared[kind] != "":
			b.shared[kind] = target
		}
	})
	if err != nil {
		return nil, err
	}
	err = b.each("xl/workbook.xml", func(e xml.StartElement) {
		if from := attribute(e, "date1904"); e.Name.Local == "workbookPr" && (from == "1" || from == "true") {
			b.epoch = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
		}
		if place := places[attribute(e, "id")]; e.Name.Local == "sheet" && place != "" {
			b.Sheets = append(b.Sheets, Sheet{attribute(e, "name"), place})
			delete(places, attribute(e, "id")) // each once
		}
	})
	return b, err
}

func (b *Workbook) each(name string, element func(xml.StartElement)) error {
	return b.tokens(name, func(token xml.Token, _ []string) error {
		if start, ok := token.(xml.StartElement); ok {
			element(start)
		}
		return nil
	})
}

func (b *Workbook) tokens(name string, visit func(token xml.Token, inside []string) error) error {
	if err := eachToken(b.parts, name, visit); err != nil {
		return fmt.Errorf("not a workbook that can be read: %w", err)
	}
	return nil
}

var (
	notDate = item.Expression(`"[^"]*"|\\.|\[[^\]]*\]|;.*`)
	elapsed = item.Expression(`(?i)\[(?:h+|m+|s+)\]`)
)

// builtinStyle returns the style of a format that is defined by its number alone.
func builtinStyle(id int) numberStyle {
	switch {
	case id == 46:
		return asElapsed
	case id >= 18 && id <= 21 || id == 45 || id == 47:
		return asClock
	case id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 50 && id <= 58:
		return asDate
	}
	return asNumber
}

func styleOf(code string) numberStyle {
	switch plain := strings.ToLower(notDate().ReplaceAllString(code, "")); {
	case elapsed().MatchString(code):
		return asElapsed
	case strings.ContainsAny(plain, "yd"), strings.Contains(plain, "mmm"):
		return asDate
	case strings.ContainsAny(plain, "hs"):
		return asClock
	}
	return asNumber
}

// inFormat matches what may be a currency in a format: a sign, a text in quotation marks, or one with a language after it: [$€-407].
var inFormat = item.Expression(`\[\$([^\]-]*)[^\]]*\]|"([^"]*)"|([€$£¥₹])`)

// currencyOf returns the currency that a format shows next to a number; "" if there is none.
func currencyOf(code string) string {
	for _, found := range inFormat().FindAllStringSubmatch(code, -1) {
		if unit := strings.Trim(found[1]+found[2]+found[3], " \u00a0"); table.IsCurrency(unit) {
			return unit
		}
	}
	return ""
}

// share reads what cells share: texts and styles. A workbook may have none.
func (b *Workbook) share() error {
	if b.texts != nil {
		return nil
	}
	b.texts = []string{}
	if _, err := b.parts.Open(b.shared["sharedStrings"]); err == nil {
		var text strings.Builder
		err := b.tokens(b.shared["sharedStrings"], func(token xml.Token, inside []string) error {
			last := len(inside) - 1
			switch token := token.(type) {
			case xml.EndElement:
				if token.Name.Local == "si" {
					b.texts = append(b.texts, text.String())
					text.Reset()
				}
			case xml.CharData:
				if last > 0 && inside[last] == "t" && inside[last-1] != "rPh" {
					text.Write(token)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	custom, inStyles := map[int]cellStyle{}, false
	_ = b.each(b.shared["styles"], func(e xml.StartElement) { // without styles no number is a date
		id, _ := strconv.Atoi(attribute(e, "numFmtId"))
		switch e.Name.Local {
		case "numFmt":
			code := attribute(e, "formatCode")
			custom[id] = cellStyle{styleOf(code), currencyOf(code)}
		case "cellXfs":
			inStyles = true
		case "cellStyles", "dxfs":
			inStyles = false
		case "xf":
			if inStyles {
				b.styles = append(b.styles, cellStyle{max(builtinStyle(id), custom[id].kind), custom[id].currency})
			}
		}
	})
	return nil
}

// A Sheet is a sheet of a workbook.
type Sheet struct {
	Name string
	part string // name of the file in the archive
}

// A Workbook is an .xlsx file, and what its sheets share. Sheets are read row by row, as comma separated values.
type Workbook struct {
	io.Closer
	Sheets []Sheet
	parts  *zip.Reader
	size   int64
	shared map[string]string // names of the files in the archive with what cells share, by kind: some programs write others than Excel
	texts  []string          // shared by cells
	styles []cellStyle
	epoch  time.Time
}

// attribute returns the value of an attribute of an element, in any name space; "" if there is none.
func attribute(e xml.StartElement, name string) string {
	for _, one := range e.Attr {
		if one.Name.Local == name {
			return one.Value
		}
	}
	return ""
}

type cellStyle struct {
	kind     numberStyle
	currency string
}

type numberStyle int

const (
	asNumber numberStyle = iota
	asDate
	asClock   // a time of day
	asElapsed // a duration
)

// Read returns the rows of a sheet as comma separated values, one row per line.
func (b *Workbook) Read(sheet string) (*Rows, error) {
	for _, one := range b.Sheets {
		if one.Name != sheet {
			continue
		}
		if err := b.share(); err != nil {
			return nil, err
		}
		part, err := b.parts.Open(one.part)
		if err != nil {
			return nil, fmt.Errorf("not a workbook that can be read: there is no %s", one.part)
		}
		return &Rows{book: b, decoder: item.NewXML(io.LimitReader(part, maxSheet), item.MaxLine), most: b.most(one)}, nil
	}
	return nil, errors.New("the sheet is gone")
}

// Limits on the bytes of the rows of a workbook: maxTimes its size plus freeBook, divided among its sheets by their sizes, and freeSheet
// for each sheet. A few cells can repeat one long shared text many times; other text compresses to a twentieth.
const (
	maxTimes  = 100
	freeBook  = 16 << 20
	freeSheet = 256 << 10
)

// most returns the most bytes that the rows of a sheet can have.
func (b *Workbook) most(sheet Sheet) int {
	sizes := map[string]float64{}
	for _, part := range b.parts.File {
		sizes[part.Name] = float64(part.CompressedSize64)
	}
	all := 1.0
	for _, one := range b.Sheets {
		all += sizes[one.part]
	}
	return int(min(maxSheet, freeSheet+(freeBook+maxTimes*float64(b.size))*sizes[sheet.part]/all))
}
