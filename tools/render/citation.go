package render

import (
	"net/url"
	"strings"
)

const maxURLChars = 2048

// addressRank ranks the names under which records keep their public address.
func addressRank(name string) int {
	switch name {
	case "url":
		return 1
	case "html_url":
		return 2
	case "web_url":
		return 3
	case "permalink":
		return 4
	case "source_url":
		return 5
	case "link":
		return 6
	}
	return 0
}

// citable reports whether a record's address may be a citation: http or https, no userinfo, at most 2,048 characters,
// nothing that a line could not hold (D20).
func citable(address string) bool {
	if address == "" || longerThan(address, maxURLChars) || strings.ContainsFunc(address, func(c rune) bool { return !shown(c) || c <= ' ' || c == '"' || c == '<' || c == '>' }) {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// citation returns the best usable address among the record's, or "".
func citation(data object) string {
	address, _ := firstText(addressRank, nil, data, citable)
	return address
}

// refusedAddress is the best address of a record that has no usable one, or "".
func refusedAddress(data object) string {
	address, _ := firstText(addressRank, nil, data, func(s string) bool { return preview(s, maxURLChars) != "" })
	return preview(address, maxURLChars)
}

func queryEscape(s string) string { return url.QueryEscape(s) }
