package rs_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// redactedBodies returns answers of a size, each made of one kind of pieces, with a token at the start.
func redactedBodies(size int) map[string]string {
	token := strings.TrimRight(redactedToken, "=")
	bodies := map[string]string{}
	for name, piece := range map[string]string{
		"empty strings": `"",`, "small strings": `"ab",`, "escapes": `"\/",`, "longer escaped strings": `"\/abcdefgh",`, "escaped letters": `"\u0074ok.9",`,
		"numbers": `1,`, "brackets": `[],`, "the token": `"` + token + `",`, "the token with escapes": `"\u0074` + token[1:] + `",`, "half a token": `"` + token[:11] + `",`,
	} {
		bodies[name] = `["\u0074` + token[1:] + `",` + strings.Repeat(piece, size/len(piece)) + `0]`
	}
	return bodies
}

// A token is removed from an answer whatever the answer consists of.
func TestRedactingAnswersOfManyPieces(t *testing.T) {
	r := rs.NewToken(redactedToken).Redactor()
	for name, body := range redactedBodies(64 << 10) {
		if strings.Contains(r.JSON(body), strings.TrimRight(redactedToken, "=")[1:]) {
			t.Errorf("%s: the token is left", name)
		}
	}
}

// BenchmarkRedact measures how long it takes to remove a token from an answer of the largest size, whatever that consists of. The floor
// counts its quotes.
func BenchmarkRedact(b *testing.B) {
	r := rs.NewToken(redactedToken).Redactor()
	for name, body := range redactedBodies(16 << 20) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				r.JSON(body)
			}
		})
		b.Run(name+"/floor", func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				quotes := 0
				for i := range len(body) {
					if body[i] == '"' {
						quotes++
					}
				}
				if quotes == 0 {
					b.Fatal("no quotes")
				}
			}
		})
	}
}
