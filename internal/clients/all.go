package clients

import (
	"encoding/base64"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// fromAfar is the note about hosts that connect from their own servers.
const fromAfar = " connects from its own data center, so the address must be reachable from the internet over https."

// addressKeys are the keys that clients use for the address of a hosted server.
var addressKeys = []string{"url", "httpUrl"}

// all lists the known clients in the order in which setup offers them. docs/clients.md has the sources of each row.
var all = []Client{{
	Name: "claude-code", Title: "Claude Code",
	path:  func(p Place) string { return filepath.Join(p.folder("CLAUDE_CONFIG_DIR"), ".claude.json") },
	parse: parseJSON, key: "mcpServers", tokenEnv: "${%s}",
	entry: typedEntry,
	command: func(c Client, s Server) []string {
		words := []string{"claude", "mcp", "add", "--scope", "user"}
		if !s.hosted() {
			return append(append(words, s.Name, "--"), s.words()...)
		}
		words = append(words, "--transport", "http", s.Name, s.URL)
		if s.TokenEnv != "" { // last, because --header takes all arguments behind it
			words = append(words, "--header", "Authorization: "+c.bearer(s))
		}
		return words
	},
	signIn:  "In Claude Code, type /mcp, choose {name} and sign in.",
	restart: "Start Claude Code again; claude mcp list shows whether it connects.",
}, {
	Name: "claude-desktop", Title: "Claude Desktop",
	path: func(p Place) string {
		return filepath.Join(p.applicationData(), "Claude", "claude_desktop_config.json")
	},
	parse: parseJSON, key: "mcpServers", localOnly: true,
	entry: plainEntry,
	steps: []string{
		"Open Settings, then Connectors, and choose Add custom connector.",
		"Name: {name}. Remote MCP server URL: {url}",
		"Choose Add, then Connect, and sign in.",
	},
	signIn:  "Claude" + fromAfar,
	restart: "Quit Claude Desktop entirely and start it again.",
}, {
	Name: "chatgpt", Title: "ChatGPT", hostedOnly: true,
	steps: []string{
		"On chatgpt.com open Settings, then Apps (Connectors in older versions), then Advanced settings, and switch Developer mode on.",
		"Back in Apps choose Create app (Create in older versions).",
		"Name: {name}. MCP Server URL: {url} Authentication: OAuth.",
		"Choose Create and sign in. In a chat, pick {name} from the + menu.",
	},
	signIn: "ChatGPT" + fromAfar,
}, {
	Name: "codex", Title: "Codex",
	path:  func(p Place) string { return filepath.Join(p.folder("CODEX_HOME", ".codex"), "config.toml") },
	parse: parseTOML, key: "mcp_servers", tokenEnv: "%s",
	entry: func(c Client, s Server) object {
		if s.hosted() && s.TokenEnv != "" {
			return object{{"url", s.URL}, {"bearer_token_env_var", s.TokenEnv}}
		}
		return plainEntry(c, s)
	},
	command: func(_ Client, s Server) []string {
		words := []string{"codex", "mcp", "add", s.Name}
		switch {
		case !s.hosted():
			return append(append(words, "--"), s.words()...)
		case s.TokenEnv != "":
			return append(words, "--url", s.URL, "--bearer-token-env-var", s.TokenEnv)
		}
		return append(words, "--url", s.URL)
	},
	signIn:  "If Codex has not asked you to sign in: codex mcp login {name}",
	restart: "Start Codex again; codex mcp list shows it.",
}, {
	Name: "cursor", Title: "Cursor",
	path:  func(p Place) string { return filepath.Join(p.Home, ".cursor", "mcp.json") },
	parse: parseJSONC, key: "mcpServers", tokenEnv: "${env:%s}", // #nosec G101 -- how a variable is quoted
	entry: plainEntry,
	link: func(s Server, entry object) string {
		return "cursor://anysphere.cursor-deeplink/mcp/install?name=" + url.QueryEscape(s.Name) +
			"&config=" + url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(encode(entry))))
	},
	signIn:  "Open Cursor's settings, then MCP, and sign in where it asks.",
	restart: "Start Cursor again, or reload its window.",
}, {
	Name: "vscode", Title: "VS Code",
	path:  func(p Place) string { return filepath.Join(p.applicationData(), "Code", "User", "mcp.json") },
	parse: parseJSONC, key: "servers",
	entry: typedEntry,
	command: func(c Client, s Server) []string {
		return []string{"code", "--add-mcp", encode(named(s, typedEntry(c, s)))}
	},
	link: func(s Server, entry object) string {
		return "vscode:mcp/install?" + url.PathEscape(encode(named(s, entry)))
	},
	signIn:  "Run MCP: List Servers from the Command Palette, start {name} and sign in when it asks.",
	restart: "Run MCP: List Servers from the Command Palette and start {name}.",
}, {
	Name: "gemini", Title: "Gemini CLI",
	path:  func(p Place) string { return filepath.Join(p.Home, ".gemini", "settings.json") },
	parse: parseJSONC, key: "mcpServers", tokenEnv: "$%s",
	entry: func(c Client, s Server) object {
		entry := plainEntry(c, s)
		if s.hosted() {
			entry = slices.Insert(entry, 1, member{"type", "http"})
		}
		return entry
	},
	command: func(_ Client, s Server) []string {
		words := []string{"gemini", "mcp", "add", "--scope", "user"}
		switch {
		case s.TokenEnv != "":
			return nil // the shell would expand the variable, and the command would store the token
		case s.hosted():
			return append(words, "--transport", "http", s.Name, s.URL)
		}
		words = append(words, s.Name, s.Command)
		for i, argument := range s.Arguments { // flags go behind --, as in its documentation
			if i > 0 && strings.HasPrefix(argument, "-") {
				return append(append(words, "--"), s.Arguments[i:]...)
			}
			words = append(words, argument)
		}
		return words
	},
	signIn:  "In Gemini CLI, type /mcp auth {name} and sign in.",
	restart: "Start Gemini CLI again in a folder that it trusts; /mcp shows it.",
}, {
	Name: "zed", Title: "Zed",
	path: func(p Place) string {
		switch p.OS {
		case "windows":
			return filepath.Join(p.applicationData(), "Zed", "settings.json")
		case "linux":
			return filepath.Join(p.applicationData(), "zed", "settings.json")
		}
		return filepath.Join(p.Home, ".config", "zed", "settings.json")
	},
	parse: parseJSONC, key: "context_servers",
	entry:   plainEntry,
	signIn:  "In Zed, open Settings, then AI, then MCP Servers, and sign in where it asks.",
	restart: "In Zed, Settings, then AI, then MCP Servers shows it with a green dot.",
}, {
	Name: "generic", Title: "another client",
	parse: parseJSONC, key: "mcpServers",
	entry:   plainEntry,
	signIn:  "A client that signs in by itself needs the address alone; it follows the server's 401 answer.",
	restart: "A client that wants command and arguments apart takes them from the entry above.",
}}

func named(s Server, entry object) object { return append(object{{"name", s.Name}}, entry...) }

// typedEntry returns the entry for hosts that require a transport type.
func typedEntry(c Client, s Server) object {
	transport := "stdio"
	if s.hosted() {
		transport = "http"
	}
	return append(object{{"type", transport}}, plainEntry(c, s)...)
}

// plainEntry returns the entry for hosts that infer the transport from the keys. Its header names the variable with the token, and never
// contains a token.
func plainEntry(c Client, s Server) object {
	switch {
	case !s.hosted():
		return object{{"command", s.Command}, {"args", s.Arguments}}
	case s.TokenEnv == "":
		return object{{"url", s.URL}}
	}
	return object{{"url", s.URL}, {"headers", object{{"Authorization", c.bearer(s)}}}}
}

func (c Client) bearer(s Server) string {
	return "Bearer " + strings.ReplaceAll(c.tokenEnv, "%s", s.TokenEnv)
}
