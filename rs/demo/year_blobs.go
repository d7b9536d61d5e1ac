package demo

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// An attachedFile is a file as it hangs on a letter. Without bytes it is one that was too large to be fetched: its size is known, that is all.
type attachedFile struct {
	name, contentType string
	bytes             []byte
	unfetched         int // size in bytes of a file that was not fetched
}

func (f attachedFile) size() int { return len(f.bytes) + f.unfetched }

type blobReference struct {
	BlobID    string `json:"blob_id"`
	MIMEType  string `json:"mime_type"`
	SizeBytes int    `json:"size_bytes"`
	SHA256    string `json:"sha256"`
	FetchURL  string `json:"fetch_url"`
}

type mailAttachment struct {
	ID          string         `json:"id"`
	MessageID   string         `json:"message_id"`
	Filename    string         `json:"filename"`
	ContentType string         `json:"content_type"`
	SizeBytes   int            `json:"size_bytes"`
	BlobRef     *blobReference `json:"blob_ref"`
}

func (b *yearBuilder) addAttachments(connectionID string, parent letter) {
	for index, file := range parent.files {
		attachment := mailAttachment{
			ID: fmt.Sprintf("%s-a%d", parent.id, index+1), MessageID: parent.id, Filename: file.name, ContentType: file.contentType, SizeBytes: file.size(),
		}
		var blob *Blob
		if file.bytes != nil {
			digest := sha256.Sum256(file.bytes)
			hexDigest := hex.EncodeToString(digest[:])
			id := "blob_sha256_" + hexDigest
			attachment.BlobRef = &blobReference{id, file.contentType, len(file.bytes), hexDigest, "/v1/blobs/" + id}
			blob = &Blob{ID: id, MIMEType: file.contentType, Bytes: file.bytes}
		}
		b.addWithBlob(connectionID, "attachments", attachment.ID, parent.when, attachment, blob)
	}
}

// makeFile makes a small real file of a kind: pdf, png, csv, txt or ics.
func makeFile(random *rand.Rand, kind, title, text string, when time.Time) attachedFile {
	name := fileName(title) + "." + kind
	switch kind {
	case "pdf":
		return attachedFile{name: name, contentType: "application/pdf", bytes: makePDF(title, text)}
	case "png":
		return attachedFile{name: name, contentType: "image/png", bytes: makePNG(random)}
	case "csv":
		return attachedFile{name: name, contentType: "text/csv", bytes: makeCSV(random, when)}
	case "ics":
		return attachedFile{name: name, contentType: "text/calendar", bytes: makeICS(title, text, when.AddDate(0, 0, 7))}
	}
	return attachedFile{name: name, contentType: "text/plain", bytes: []byte(title + "\n\n" + text + "\n")}
}

// fileName keeps the letters and digits of a title and joins them with hyphens.
func fileName(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(character rune) bool {
		return (character < 'a' || character > 'z') && (character < '0' || character > '9')
	})
	return strings.Join(words, "-")
}

// makePDF writes a document of one page: a title and wrapped lines, in the standard Helvetica, which a reader need not be given.
func makePDF(title, text string) []byte {
	var page strings.Builder
	fmt.Fprintf(&page, "BT /F1 16 Tf 56 780 Td (%s) Tj /F1 11 Tf 0 -14 TD", pdfString(title))
	for _, line := range wrap(text, 80) {
		fmt.Fprintf(&page, " T* (%s) Tj", pdfString(line))
	}
	page.WriteString(" ET")
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", page.Len(), page.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
	}
	var file bytes.Buffer
	file.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for index, object := range objects {
		offsets[index] = file.Len()
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", index+1, object)
	}
	table := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&file, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&file, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return file.Bytes()
}

// pdfString writes a text in the one-byte encoding of the font. The euro sign is the one character of the year outside Latin-1 that it has.
func pdfString(text string) string {
	var encoded strings.Builder
	for _, character := range text {
		switch {
		case character == '(' || character == ')' || character == '\\':
			encoded.WriteByte('\\')
			encoded.WriteRune(character)
		case character == '€':
			encoded.WriteString(`\200`)
		case character > 0xff:
			encoded.WriteByte('?')
		case character > 0x7e:
			fmt.Fprintf(&encoded, `\%03o`, character)
		default:
			encoded.WriteRune(character)
		}
	}
	return encoded.String()
}

// wrap breaks a text into lines of at most width bytes, where its words allow.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// makePNG draws a tide curve over a day: dark water under a pale sky.
func makePNG(random *rand.Rand) []byte {
	const width, height = 96, 48
	sky, water := color.RGBA{R: 232, G: 240, B: 246, A: 255}, color.RGBA{R: 21, G: 84, B: 122, A: 255}
	picture := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{sky, water})
	amplitude, phase := 8+12*random.Float64(), 2*math.Pi*random.Float64()
	for x := range width {
		level := height/2 - amplitude*math.Sin(phase+4*math.Pi*float64(x)/width)
		for y := range height {
			if float64(y) >= level {
				picture.SetColorIndex(x, y, 1)
			}
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		return nil // not with a buffer and a picture of this size
	}
	return file.Bytes()
}

// makeCSV writes hourly readings of a gauge for a day.
func makeCSV(random *rand.Rand, when time.Time) []byte {
	var file strings.Builder
	file.WriteString("time,water_level_cm,battery_percent\n")
	start := time.Date(when.Year(), when.Month(), when.Day(), 0, 0, 0, 0, time.UTC)
	battery := 60 + random.IntN(40)
	for hour := range 24 {
		level := 310 + 240*math.Sin(2*math.Pi*float64(hour)/12.4) + float64(random.IntN(20))
		fmt.Fprintf(&file, "%s,%.0f,%d\n", stamp(start.Add(time.Duration(hour)*time.Hour)), level, battery-hour/8)
	}
	return []byte(file.String())
}

// makeICS writes an invitation of one hour.
func makeICS(title, text string, starts time.Time) []byte {
	const layout = "20060102T150405Z"
	escaped := strings.NewReplacer(`\`, `\\`, ",", `\,`, ";", `\;`, "\n", `\n`)
	lines := []string{
		"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Tidewater//Calendar//EN", "BEGIN:VEVENT",
		"UID:" + fileName(title) + "-" + starts.UTC().Format("20060102T150405") + "@tidewater.example",
		"DTSTAMP:" + starts.UTC().Format(layout),
		"DTSTART:" + starts.UTC().Format(layout),
		"DTEND:" + starts.Add(time.Hour).UTC().Format(layout),
		"SUMMARY:" + escaped.Replace(title),
		"DESCRIPTION:" + escaped.Replace(text),
		"END:VEVENT", "END:VCALENDAR",
	}
	var file strings.Builder
	for _, line := range lines {
		// A line of a calendar file has at most 75 bytes; what is left follows after a space.
		for len(line) > 75 {
			cut := 74
			for line[cut]&0xc0 == 0x80 {
				cut--
			}
			file.WriteString(line[:cut] + "\r\n")
			line = " " + line[cut:]
		}
		file.WriteString(line + "\r\n")
	}
	return []byte(file.String())
}
