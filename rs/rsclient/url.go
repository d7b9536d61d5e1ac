package rsclient

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// ParseURL parses the http or https URL of a server. Its error calls the server what, and contains nothing secret.
func ParseURL(what, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%s URL %q must start with http:// or https:// and name a host", what, RedactURL(text))
	case u.User != nil:
		return nil, fmt.Errorf("%s URL for host %q must not hold credentials", what, u.Host)
	}
	return u, nil
}

// ParseBase checks a resource server's URL and returns it without a trailing slash. Its error contains nothing secret.
func ParseBase(text string) (string, error) {
	u, err := ParseURL("resource server", text)
	switch {
	case err != nil:
		return "", err
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("resource server URL %q must have no query and no fragment", RedactURL(text))
	}
	u.ForceQuery = false // a bare "?" at the end
	return strings.TrimRight(u.String(), "/"), nil
}

// IsLoopback reports whether a host, in lower case and without a port, is this machine by its name or address. Plain http is allowed only
// for such hosts (RFC 8252, section 7.3).
func IsLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.Unmap().IsLoopback()
}

// RedactURL removes the parts of a URL that may contain a secret: user, query and fragment.
func RedactURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "(unparsable)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	u.Opaque = u.Opaque[strings.LastIndex(u.Opaque, "@")+1:] // user:password@host parses as the scheme "user" and this
	return u.String()
}
