package rs

// A ListedStream is a row of the list of streams: how many records a stream of a connection has, and how new they are.
type ListedStream struct {
	Name, Connection, Label, Connector string
	Records                            int    // -1 if unknown
	Updated                            string // the time of the newest record
	Status, SyncedAt                   string // how fresh the data are, and when they were synced; "" if unknown
}

// ReadListedStream reads a row of the list of streams.
func ReadListedStream(o Object) ListedStream {
	freshness := o.Object("freshness")
	s := ListedStream{
		Name: o.Text("name", "stream"), Connection: ConnectionID(o), Label: o.Text("display_name"), Connector: ConnectorKey(o),
		Records: -1, Updated: o.Text("last_updated"), Status: freshness.Text("status"),
	}
	// If the connector has not run, captured_at is the time of the newest record.
	captured := freshness.Text("captured_at")
	if freshness.Has("last_attempted_at") || s.Updated != "" && captured != s.Updated {
		s.SyncedAt = captured
	}
	if n, ok := o.Number("record_count"); ok && n >= 0 {
		s.Records = n
	}
	return s
}

// ListedStreams reads the answer as the list of streams; a nil answer has none. The result is cached: not safe for concurrent use.
func (r *Response) ListedStreams() []ListedStream {
	if r == nil {
		return nil
	}
	if list, _ := r.List(); r.streams == nil {
		r.streams = make([]ListedStream, len(list.Items))
		for i, item := range list.Items {
			r.streams[i] = ReadListedStream(item.Members)
		}
	}
	return r.streams
}
