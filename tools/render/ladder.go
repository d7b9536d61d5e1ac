package render

import (
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// ladder is structuredContent.content_ladder: for each hit with proven matches, the same previews as in results and
// the call that reads on (S1-1a, S1-R2). Field-window URIs stand in _meta only (S1-R4).
func ladder(hits []hit, previews [][]excerptPreview, cited bool) string {
	records := []string{}
	for i := range hits {
		if len(hits[i].excerpts) == 0 {
			continue
		}
		var evidence []string
		for n, x := range hits[i].excerpts {
			if n == maxEvidenceRows {
				break
			}
			read := object{pair("tool", encode("read_record_field")), pair("arguments", x.read().json())}
			shown := previews[i][n]
			rung := (&arguments{make([]byte, 0, 512)}).plain("field", x.field).plain("preview", shown.text)
			if cited {
				shown.cite.add(rung)
			}
			evidence = append(evidence, rung.put("read", string(read.JSON())).json())
		}
		records = append(records, object{pair("id", encode(hits[i].id)), pair("evidence", rs.JoinArray(evidence))}.JSON())
	}
	return object{pair("records", rs.JoinArray(records))}.JSON()
}

// windowURIs are the field windows of the proven matches, for hosts that read resources (S1-4a).
func windowURIs(hits []hit) []string {
	var uris []string
	for i := range hits {
		for _, x := range hits[i].excerpts {
			if len(uris) == maxEvidenceRows {
				return uris
			}
			uris = append(uris, WindowURI(WindowQuery{Ref: x.ref, Field: x.field, Q: x.q}))
		}
	}
	return uris
}
