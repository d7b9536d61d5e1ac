package web

import (
	"encoding/json"
	"net/http"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Refuse answers a request with an error, always as JSON, and records its code:
//
//	{"error":{"code","message","hint"?,"resource_metadata"?}}
//
// resourceMetadata is the URL of the challenge (S3-18a), or "".
func Refuse(w http.ResponseWriter, r *http.Request, status int, e *rs.Error, resourceMetadata string) {
	var body struct {
		Error struct {
			Code             rs.Code `json:"code"`
			Message          string  `json:"message"`
			Hint             string  `json:"hint,omitempty"`
			ResourceMetadata string  `json:"resource_metadata,omitempty"`
		} `json:"error"`
	}
	body.Error.Code, body.Error.Message, body.Error.Hint = e.Code, e.Message, e.Hint
	body.Error.ResourceMetadata = resourceMetadata
	middleware.RequestFrom(r.Context()).Refusal = e.Code
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Del("Content-Length")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
