package correct

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// touched is what a call names: streams, and a connection.
type touched struct {
	streams    []string
	connection string
}

// touches reads the names of streams and connections out of arguments.
func touches(args rs.Object) touched {
	var t touched
	t.connection, _ = text(args.Get("connection_id"))
	if stream, ok := text(args.Get("stream")); ok {
		t.streams = append(t.streams, stream)
	}
	for _, raw := range args.Array("streams") {
		stream, _ := text(raw)
		t.streams = append(t.streams, stream)
	}
	if id, ok := text(args.Get("id")); ok {
		if ref, err := rs.ParseRef(id); err == nil {
			t.streams = append(t.streams, ref.Stream)
			if ref.ConnectionID != "" {
				t.connection = ref.ConnectionID
			}
		}
	}
	return t
}

// Touches returns the streams and the connection that arguments name.
func Touches(args rs.Object) (streams []string, connection string) {
	t := touches(args)
	return t.streams, t.connection
}

// changed writes other names into arguments. A stream that is replaced by "" is left out, as is a connection.
func changed(args rs.Object, streams map[string]string, connection string) rs.Object {
	before := touches(args)
	if id, ok := text(args.Get("id")); ok {
		if ref, err := rs.ParseRef(id); err == nil {
			ref.Stream = streams[ref.Stream]
			if ref.ConnectionID != "" || connection != before.connection {
				ref.ConnectionID = connection
			}
			if ref.ConnectionID != "" || connection == "" {
				args = args.Without("connection_id")
			}
			return args.With("id", rs.EncodeJSON(ref.String()))
		}
	}
	if stream, ok := text(args.Get("stream")); ok {
		if streams[stream] == "" {
			args = args.Without("stream")
		} else {
			args = args.With("stream", rs.EncodeJSON(streams[stream]))
		}
	}
	if args.Has("streams") {
		var kept []string
		for _, raw := range args.Array("streams") {
			stream, _ := text(raw)
			if to := streams[stream]; to != "" && !slices.Contains(kept, to) {
				kept = append(kept, to)
			}
		}
		if args = args.Without("streams"); len(kept) > 0 {
			args = args.With("streams", listed(kept))
		}
	}
	switch {
	case connection == "":
		return args.Without("connection_id")
	case connection != before.connection:
		return args.With("connection_id", rs.EncodeJSON(connection))
	}
	return args
}
