package document

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

// maxSheet is how much of a sheet is read, in bytes with its marks, and how much is made of it. Of what all sheets share it is maxXML.
const maxSheet = 1 << 30

// OpenWorkbook reads what a workbook says about its sheets.
func OpenWorkbook(file io.ReaderAt, size int64) (*Workbook, error) {
	parts, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("not a workbook that can be read, or an encrypted one: %w", err)
	}
	b := &Workbook{parts: parts, size: size, epoch: time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)}
	places := map[string]string{}
	err = b.each("xl/_rels/workbook.xml.rels", func(e xml.StartElement) {
		if e.Name.Local == "Relationship" && strings.HasSuffix(attribute(e, "Type"), "/worksheet") {
			target := attribute(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = "/xl/" + target
			}
			places[attribute(e, "Id")] = strings.TrimPrefix(path.Clean(target), "/")
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

// builtinStyle is of the formats that need no description.
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

// inFormat is what may be a currency in a format, which is in quotation marks or has a language behind it: [$€-407].
var inFormat = item.Expression(`\[\$([^\]-]*)[^\]]*\]|"([^"]*)"|([€$£¥₹])`)

// currencyOf is the one that a format writes beside a number; empty: none.
func currencyOf(code string) string {
	for _, found := range inFormat().FindAllStringSubmatch(code, -1) {
		if unit := strings.Trim(found[1]+found[2]+found[3], " \u00a0"); table.IsCurrency(unit) {
			return unit
		}
	}
	return ""
}

// share reads what cells share: texts and styles. A workbook may have neither.
func (b *Workbook) share() error {
	if b.texts != nil {
		return nil
	}
	b.texts = []string{}
	if _, err := b.parts.Open("xl/sharedStrings.xml"); err == nil {
		var text strings.Builder
		err := b.tokens("xl/sharedStrings.xml", func(token xml.Token, inside []string) error {
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
	_ = b.each("xl/styles.xml", func(e xml.StartElement) { // without it no number is a date
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
	part string // of the archive
}

// A Workbook is an .xlsx file with what its sheets share. Sheets are read row by row, as comma separated values.
type Workbook struct {
	Sheets []Sheet
	parts  *zip.Reader
	size   int64
	texts  []string // shared by cells
	styles []cellStyle
	epoch  time.Time
}

// attribute is that of an element, whatever its name space.
func attribute(e xml.StartElement, name string) string {
	for _, one := range e.Attr {
		if one.Name.Local == name {
			return one.Value
		}
	}
	return ""
}

// A cellStyle says what a number is shown as, and with which currency.
type cellStyle struct {
	kind     numberStyle
	currency string
}

type numberStyle int

const (
	asNumber numberStyle = iota
	asDate
	asClock   // a time of day
	asElapsed // how long something took
)

// Read returns the rows of a sheet as comma separated values, one to a line.
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

// What is made of a workbook: as many times its size, of which some is free, divided among its sheets by their sizes, and a little for each
// beside. Few cells can name one long text again and again; text that is there packs to a twentieth.
const (
	maxTimes  = 100
	freeBook  = 16 << 20
	freeSheet = 256 << 10
)

// most is how many bytes the rows of a sheet may have.
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
