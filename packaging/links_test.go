package main

import "github.com/pdp-connect/pdpp-mcp/internal/clients"

// A clickable is a link that a client opens to install the sample, by way of npm.
type clickable struct{ title, link string }

// clickables are for clients that have such links. An own grant needs the provider's address, so its link is made on
// the person's machine, by pdpp-mcp setup.
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
