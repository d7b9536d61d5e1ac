package main

import "github.com/pdp-connect/pdpp-mcp/internal/clients"

// A clickable is a link with which a client installs the sample through npm.
type clickable struct{ title, link string }

// clickables returns the links of the clients that support them. The link for a person's own grant contains the provider's address, so
// pdpp-mcp setup makes it.
func clickables() []clickable {
	var found []clickable
	for _, client := range clients.All() {
		server := clients.Server{Name: "pdpp-demo", Command: "npx", Arguments: []string{"-y", npmName, "stdio", "--demo"}}
		if client.Check(server) != "" {
			continue
		}
		place := clients.Place{OS: "linux", Home: "/", Getenv: func(string) string { return "" }}
		if link := client.Guide(server, place, "", nil).Link; link != "" {
			found = append(found, clickable{client.Title, link})
		}
	}
	return found
}
