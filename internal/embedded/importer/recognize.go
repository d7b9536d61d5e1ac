package importer

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/database"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/services"
)

const knownEndings = ".jsonl, .ndjson, .json, .csv, .tsv, .mbox, .mbx, .eml, .emlx, .ics, .vcf, .md, .html, .docx, .odt, .txt, .xlsx, " +
	".gpx, .tcx, .kml, .ofx, .enex, .sqlite or .zip"

// passwords is the reason not to read the exports of password managers.
const passwords = "it holds passwords, which no assistant should have: to have the rest of it read, leave them and other secrets out " +
	"of a copy"

// recognize returns how a file is read, or the reason why it is not.
func recognize(fsys fs.FS, name string) (kind format, reason string) {
	named := formatOf(name)
	if named == formatMail || named == formatUnknown && isMaildir(name) {
		return formatMail, "" // there may be many; the reader rejects other files
	}
	start, err := beginning(fsys, name, startBytes)
	switch {
	case err != nil:
		return formatUnknown, "cannot be read: " + item.Reason(err)
	case database.Is(start):
		return formatDatabase, ""
	case holdsPasswords(named, start):
		return formatUnknown, passwords
	}
	kind = shownFormat(fsys, name, named, start)
	switch {
	case kind != formatUnknown:
		return kind, ""
	case named == formatUnknown:
		return formatUnknown, whyUnknown(name, start)
	case !isText(start):
		return formatUnknown, "not text: it contains zero bytes"
	}
	return named, ""
}

// shownFormat returns the format that the first bytes of a file show, if its name shows another one or none; else it returns formatUnknown.
func shownFormat(fsys fs.FS, name string, named format, start []byte) format {
	switch {
	case (named == formatDocument || named == formatWorkbook) && bytes.HasPrefix(start, []byte("PK")):
		return named
	case named == formatArray && holdsLines(fsys, name, start):
		return formatLines
	case isSlack(fsys, name):
		return formatSlack
	}
	for index, one := range ways {
		if one.is != nil && named == one.among && one.is(name, start) {
			return format(index)
		}
	}
	switch isTXT := strings.EqualFold(path.Ext(name), ".txt"); {
	case named == formatDocument && isActivity(fsys, name):
		return formatActivity
	case isTXT && isTabbed(start):
		return formatTable
	case isTXT && isText(start):
		return formatDocument
	}
	return formatUnknown
}

// whyUnknown returns the reason why a file of unknown format is not read, and how to make it readable.
func whyUnknown(name string, start []byte) string {
	ending := strings.ToLower(path.Ext(name))
	at := slices.IndexFunc(otherWays[:], func(one otherWay) bool { return slices.Contains(strings.Fields(one.endings), ending) })
	const unknown = "of no known kind"
	switch {
	case bytes.HasPrefix(start, []byte("%PDF-")):
		return "a PDF, which is not read: save its text as .html or .md, or keep it beside what names it"
	case at >= 0:
		return unknown + ": " + otherWays[at].way
	case media().MatchString(name):
		return unknown + ": " + "pictures, recordings and films are not read"
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return unknown + ": " + asArchive
	}
	return unknown // of which a folder may have many
}

// media matches the names of files that no program can turn into records: an export may have thousands of them.
var media = item.Expression(`(?i)\.(?:jpe?g|jfif|png|gif|heic|heif|webp|avif|bmp|tiff?|svg|psd|dng|cr2|nef|arw|mp[234]|m4[abvp]|mov|avi|mkv|` +
	`webm|mpe?g|mts|3gpp?|wmv|wav|aiff?|aac|flac|ogg|oga|opus|amr|caf|wma|ttf|woff2?)$`)

// An otherWay says how to convert files that cannot be read, by their extensions.
type otherWay struct{ endings, way string }

var otherWays = [...]otherWay{
	{".rtf .doc .pages .wps .one", "save it as .docx or .odt"},
	{".xls .ods .numbers .xlsb", "save it as .xlsx or .csv"},
	{".epub .mhtml", "save it as .html"},
	{".org", "export it as .md or .html"},
	{".xml .plist .opml .bib .ris .yaml .yml .mdb .accdb .parquet", "export it as .csv or .json"},
	{".pst .ost .olm .msg", "import it into a mail program such as Thunderbird, and export it as .mbox or .eml"},
	{".msf", "the mailbox beside it is read"},
	{".sta .mt940 .940 .qif", "export it from the bank as CAMT (.xml), .csv or .ofx"},
	{".fit", "export it as .tcx or .gpx"},
	{".apkg", "export the notes as text"},
	{".ldif", "export the contacts as .vcf"},
	{".kmz", asArchive},
	{".gz .tgz .tar .7z .rar .bz2 .xz", "unpack it"},
}

const asArchive = "rename it to .zip"

var (
	// secretColumn matches a column of passwords, as in the exports of browsers and password managers.
	secretColumn = item.Expression(`(?i)(?:^|[,;\t])[" ]*(?:login_)?password[" ]*(?:[,;\t\r]|$)`)
	// secretObject matches the start of a Bitwarden or Proton Pass export.
	secretObject = item.Expression(`"encrypted"\s*:\s*(?:true|false)(?s:.*)"(?:folders|items|vaults)"\s*:`)
)

// holdsPasswords reports a table or JSON of passwords, which must not reach an assistant.
func holdsPasswords(named format, start []byte) bool {
	header, _, _ := bytes.Cut(start, []byte("\n"))
	return named == formatArray && secretObject().Match(start) || named == formatTable && secretColumn().Match(header)
}

// isActivity reports an HTML page in which Google lists what a person did, after the styles of the page.
func isActivity(fsys fs.FS, name string) bool {
	start, err := beginning(fsys, name, services.ActivityStart)
	return err == nil && services.IsActivity(start)
}

// isText reports that at most one byte in 32 is a control character, if any byte is zero: some programs write a few zeros.
func isText(start []byte) bool {
	strange := 0
	for _, one := range start {
		if one < ' ' && one != '\t' && one != '\n' && one != '\r' && one != '\f' && one != '\v' {
			strange++
		}
	}
	return !slices.Contains(start, 0) || 32*strange <= len(start)
}

// isTabbed reports a text of several lines that all have the same number of tabs, at least two: a table, as PayPal and shops write it.
func isTabbed(start []byte) bool {
	lines := bytes.Split(start[:bytes.LastIndexByte(start, '\n')+1], []byte("\n"))
	lines = slices.DeleteFunc(lines, func(line []byte) bool { return len(bytes.TrimRight(line, "\r")) == 0 })
	return len(lines) > 1 && bytes.Count(lines[0], []byte("\t")) > 1 && isText(start) && !slices.ContainsFunc(lines, func(line []byte) bool {
		return bytes.Count(line, []byte("\t")) != bytes.Count(lines[0], []byte("\t"))
	})
}

// longLine is how many bytes of a file are read to tell whether a long line is an object.
const longLine = 256 << 10

// holdsLines reports a .json file with one object per line: an object, and another one on the next line.
func holdsLines(fsys fs.FS, name string, start []byte) bool {
	const space = " \t\r\n"
	if start = bytes.TrimLeft(start, space); len(start) == 0 || start[0] != '{' {
		return false
	}
	if len(start) > startBytes/3 && !bytes.Contains(start, []byte("\n")) { // UTF-16 is half as long once decoded
		start, _ = beginning(fsys, name, longLine)
	}
	first, rest, _ := bytes.Cut(bytes.TrimLeft(start, space), []byte("\n"))
	_, _, _, err := item.NewParser().ParseFinite(bytes.TrimSpace(first))
	return err == nil && bytes.HasPrefix(bytes.TrimLeft(rest, space), []byte("{"))
}

var slackDay = item.Expression(`^\d{4}-\d\d-\d\d\.json$`)

// isSlack reports a day of a channel: a file whose folder is next to a list of people or channels.
func isSlack(fsys fs.FS, name string) bool {
	return slackDay().MatchString(path.Base(name)) && slices.ContainsFunc([]string{"users.json", "channels.json"}, func(list string) bool {
		info, err := fs.Stat(fsys, path.Join(path.Dir(path.Dir(name)), list))
		return err == nil && info.Mode().IsRegular()
	})
}
