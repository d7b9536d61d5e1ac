package terminal

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
	"rsc.io/qr"
)

// quietModules is the light margin of a drawn QR code, in modules. ISO/IEC 18004 requires 4; readers accept 2 on a screen.
const quietModules = 2

// DrawQR draws a link as a QR code for a telephone, if out is a terminal with space for the code and the text that follows.
func DrawQR(out io.Writer, link, following string) {
	file, ok := out.(*os.File)
	if !ok {
		return
	}
	columns, lines, err := term.GetSize(int(file.Fd())) // fails if it is not a terminal
	if err != nil {
		return
	}
	_, _ = io.WriteString(out, qrText(link, following, columns, lines))
}

// linesOf counts the lines that a text takes in a terminal.
func linesOf(text string, columns int) int {
	lines := 0
	for line := range strings.SplitSeq(text, "\n") {
		lines += max(1, (utf8.RuneCountInString(line)+columns-1)/columns)
	}
	return lines
}

// qrText returns a link as a QR code of half blocks, always white on black; "" if code and following text do not fit into the terminal.
func qrText(link, following string, columns, lines int) string {
	code, err := qr.Encode(link, qr.L)
	if err != nil {
		return ""
	}
	side := code.Size + 2*quietModules
	if side > columns || (side+1)/2+linesOf(following, columns) > lines {
		return ""
	}
	light := func(x, y int) int { // 1 for a light module, 0 for a dark one
		if y < side && !code.Black(x-quietModules, y-quietModules) {
			return 1
		}
		return 0
	}
	blocks := []rune(" ▄▀█")
	var b strings.Builder
	for y := 0; y < side; y += 2 {
		b.WriteString("\x1b[97;40m")
		for x := range side {
			b.WriteRune(blocks[2*light(x, y)+light(x, y+1)])
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String()
}
