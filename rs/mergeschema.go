package rs

// A schemaPart is the schema document of one grant.
type schemaPart struct {
	document Object
	grant    []Connection // what the directory says that the grant covers
}

// mergeSchemas makes one document of the grants' documents (D5). Each connector keeps its own bytes but for grant_id in
// its connections; a connector of two grants stays two entries, because their streams and fields may differ.
func mergeSchemas(packageID string, parts []schemaPart, unavailable []UnavailableConnection) (Object, error) {
	var connectors, streams []string
	streamCount := 0
	for _, part := range parts {
		if raw := part.document.Get("connectors"); raw != "" {
			own, _, err := narrowList(raw, func(connector Object) (Object, bool, error) {
				connector, count, err := part.connector(connector)
				streamCount += count
				return connector, true, err
			})
			if err != nil {
				return nil, err
			}
			items := readItems(own)
			connectors = append(connectors, items...)
		}
		rows := readItems(part.document.Get("streams"))
		for _, row := range rows {
			streams = append(streams, attribute(row, part.source()))
		}
		streamCount += len(rows)
	}
	bearer := Object{{"token_kind", EncodeJSON(KindPackage)}}
	if packageID != "" {
		bearer = append(bearer, Member{"package_id", EncodeJSON(packageID)})
	}
	merged := Object{{"object", EncodeJSON("schema")}}
	if detail := sharedDetail(parts); detail != "" {
		merged = append(merged, Member{"detail", EncodeJSON(detail)})
	}
	merged = append(merged,
		Member{"bearer", bearer.JSON()},
		Member{"connector_count", EncodeJSON(len(connectors))}, Member{"stream_count", EncodeJSON(streamCount)},
		Member{"connectors", JoinArray(connectors)},
	)
	if len(streams) > 0 {
		merged = append(merged, Member{"streams", JoinArray(streams)})
	}
	if len(unavailable) > 0 {
		merged = append(merged, Member{"unavailable_connections", EncodeJSON(unavailable)})
	}
	return merged, nil
}

// connector adds the grant to a connector's connections and counts its streams. Connections may stand in the streams
// instead; where they stand nowhere and the grant covers one, that one is added.
func (p schemaPart) connector(connector Object) (Object, int, error) {
	streams := readItems(connector.Get("streams"))
	told := connector.Get("granted_connections") != ""
	if told {
		own, err := p.connections(connector.Get("granted_connections"))
		if err != nil {
			return nil, 0, err
		}
		connector = connector.With("granted_connections", own)
	}
	changed := false
	for i, raw := range streams {
		row, err := ReadObject(raw)
		if err != nil {
			return nil, 0, invalidSchema()
		}
		own := row.Get("granted_connections")
		if own == "" {
			told = told || stringMember(row, "connection_id") != ""
			continue
		}
		told, changed = true, true
		if own, err = p.connections(own); err != nil {
			return nil, 0, err
		}
		streams[i] = row.With("granted_connections", own).JSON()
	}
	if changed {
		connector = connector.With("streams", JoinArray(streams))
	}
	if !told && len(p.grant) == 1 {
		only := p.grant[0]
		only.ConnectorKey = "" // the connector says it
		connector = connector.With("granted_connections", JoinArray([]string{EncodeJSON(only)}))
	}
	return connector, len(streams), nil
}

func (p schemaPart) connections(raw string) (string, error) {
	grantID := p.source().GrantID
	list, _, err := narrowList(raw, func(c Object) (Object, bool, error) {
		if grantID != "" && stringMember(c, "grant_id") == "" {
			c = c.With("grant_id", EncodeJSON(grantID))
		}
		return c, true, nil
	})
	return list, err
}

// source is what holds for every row of the grant's answers: the grant, and the connection where there is only one.
func (p schemaPart) source() Connection { return commonSource(p.grant) }

func commonSource(grant []Connection) Connection {
	common := grant[0]
	for _, c := range grant[1:] {
		common.ID, common.DisplayName = "", ""
		if c.ConnectorKey != common.ConnectorKey {
			common.ConnectorKey = ""
		}
	}
	return common
}

// sharedDetail is the detail that all documents have, or "".
func sharedDetail(parts []schemaPart) string {
	shared := ""
	for i, p := range parts {
		detail := stringMember(p.document, "detail")
		if i > 0 && detail != shared {
			return ""
		}
		shared = detail
	}
	return shared
}
