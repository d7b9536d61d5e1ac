package cli

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// parseOrigin returns the origin of a URL in its canonical form: scheme and host in lower case, no default port,
// nothing else. Its error says what does not belong into an origin.
func parseOrigin(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", errors.New("a public URL starts with http:// or https:// and names a host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		return "", fmt.Errorf("the public URL for host %q must be an origin: no path, no query, no credentials", u.Host)
	}
	host := strings.ToLower(u.Host)
	if u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	} else {
		host = strings.TrimSuffix(host, ":80")
	}
	return u.Scheme + "://" + host, nil
}

// parsePublic reads the names as they are typed: a public URL, which may be empty, further host names, and proxies, each an
// address or a CIDR block. Its error names the flag and what is wrong.
func parsePublic(publicURL string, hosts, proxies []string) (web.Public, error) {
	public := web.Public{Hosts: hosts}
	if publicURL != "" {
		origin, err := parseOrigin(publicURL)
		if err != nil {
			return web.Public{}, fmt.Errorf("--public-url: %w", err)
		}
		public.Origin = origin
	}
	for _, text := range proxies {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			address, addressErr := netip.ParseAddr(text)
			if addressErr != nil {
				return web.Public{}, fmt.Errorf("--trusted-proxies: %q is neither an address nor a CIDR block", text)
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		public.Proxies = append(public.Proxies, prefix)
	}
	return public, nil
}
