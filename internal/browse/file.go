package browse

import (
	"encoding/base64"
	"mime"
	"net/http"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// file sends the bytes of what is attached to a record, as resources/read answers them, to be saved: no browser opens them here.
func (p *Pages) file(w http.ResponseWriter, r *http.Request, q query) {
	result, err := p.options.Ask(r.Context(), "resources/read", map[string]string{"uri": q.get("uri")})
	found := first(rs.AsObject(result).Array("contents"))
	content := []byte(found.Text("text"))
	if coded := found.Text("blob"); err == nil && coded != "" {
		content, err = base64.StdEncoding.DecodeString(coded)
	}
	if err != nil || found == nil || !strings.HasPrefix(q.get("uri"), "pdpp://blob/") {
		p.refuse(w, r, http.StatusNotFound, "This file cannot be read. It may have been removed since the record was shown.")
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/octet-stream")
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": q.get("name")}))
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	header.Set("Cache-Control", "no-store")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(content) // #nosec G705 -- saved, not shown; the reader may have gone
}
