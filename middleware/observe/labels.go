package observe

import "strconv"

// modern is the first version of MCP without sessions.
const modern = "2026-07-28"

// era is modern for versions of MCP without sessions, legacy for those before, and unknown where the client did not say.
// Versions are dates, so they sort as text.
func era(protocol string) string {
	switch {
	case protocol == "":
		return "unknown"
	case protocol < modern:
		return "legacy"
	}
	return "modern"
}

// statusClass is 2xx, 4xx and so on; "none" without a status.
func statusClass(status int) string {
	if class := status / 100; class >= 1 && class <= 5 {
		return strconv.Itoa(class) + "xx"
	}
	return "none"
}
