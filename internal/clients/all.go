package clients

import (
	"encoding/base64"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
)

// All returns every host that is known, the most used first. What each row says, and where it was found, is docs/clients.md.
func All() []Client {
	return []Client{claudeCode(), claudeDesktop(), chatGPT(), codex(), cursor(), vsCode(), gemini(), zed(), generic()}
}

// braced is a variable as most hosts write it, such as ${NAME}.
var braced = regexp.MustCompile(`\$\{`)

func claudeCode() Client {
	return Client{
		Name: "claude-code", Title: "Claude Code",
		path: func(p Place) string {
			return filepath.Join(p.variable("CLAUDE_CONFIG_DIR", p.Home), ".claude.json")
		},
		format: jsonFormat{}, key: "mcpServers", tokenEnv: "${%s}", variable: braced,
		entry: typedEntry,
		command: func(s Server, quote func(string) string) []string {
			if s.hosted() {
				words := "claude mcp add --scope user --transport http " + quote(s.Name) + " " + quote(s.URL)
				if s.TokenEnv != "" { // --header takes all that follows it
					words += " --header " + quote("Authorization: Bearer ${"+s.TokenEnv+"}")
				}
				return []string{words}
			}
			return []string{"claude mcp add --scope user " + quote(s.Name) + " -- " + quoteAll(quote, s)}
		},
		after: func(s Server) string {
			if s.hosted() && s.TokenEnv == "" {
				return "In Claude Code, type /mcp, choose " + s.Name + " and sign in."
			}
			return "Start Claude Code again; claude mcp list shows whether it connects."
		},
	}
}

func claudeDesktop() Client {
	return Client{
		Name: "claude-desktop", Title: "Claude Desktop",
		path: func(p Place) string {
			return filepath.Join(p.applicationData(), "Claude", "claude_desktop_config.json")
		},
		format: jsonFormat{}, key: "mcpServers", localOnly: true,
		entry: plainEntry,
		steps: func(s Server) []string {
			if !s.hosted() {
				return nil
			}
			return []string{
				"Open Settings, then Connectors, and choose Add custom connector.",
				"Name: " + s.Name + ". Remote MCP server URL: " + s.URL,
				"Choose Add, then Connect, and sign in.",
			}
		},
		after: func(s Server) string {
			if s.hosted() {
				return "Claude connects from its own data centre, so the address must be reachable from the internet over https."
			}
			return "Quit Claude Desktop entirely and start it again."
		},
	}
}

func chatGPT() Client {
	return Client{
		Name: "chatgpt", Title: "ChatGPT", hostedOnly: true,
		steps: func(s Server) []string {
			return []string{
				"On chatgpt.com open Settings, then Apps (Connectors in older versions), then Advanced settings, and switch Developer mode on.",
				"Back in Apps choose Create app (Create in older versions).",
				"Name: " + s.Name + ". MCP Server URL: " + s.URL + " Authentication: OAuth.",
				"Choose Create and sign in. In a chat, pick " + s.Name + " from the + menu.",
			}
		},
		after: func(Server) string {
			return "ChatGPT connects from its own data centre, so the address must be reachable from the internet over https."
		},
	}
}

func codex() Client {
	return Client{
		Name: "codex", Title: "Codex",
		path: func(p Place) string {
			return filepath.Join(p.variable("CODEX_HOME", filepath.Join(p.Home, ".codex")), "config.toml")
		},
		format: tomlFormat{}, key: "mcp_servers", tokenEnv: "%s",
		entry: func(c Client, s Server) object {
			if !s.hosted() {
				return object{{"command", s.Command}, {"args", s.Arguments}}
			}
			entry := object{{"url", s.URL}}
			if s.TokenEnv != "" {
				entry = append(entry, member{"bearer_token_env_var", s.TokenEnv})
			}
			return entry
		},
		command: func(s Server, quote func(string) string) []string {
			switch {
			case !s.hosted():
				return []string{"codex mcp add " + quote(s.Name) + " -- " + quoteAll(quote, s)}
			case s.TokenEnv != "":
				return []string{"codex mcp add " + quote(s.Name) + " --url " + quote(s.URL) + " --bearer-token-env-var " + quote(s.TokenEnv)}
			default:
				return []string{"codex mcp add " + quote(s.Name) + " --url " + quote(s.URL), "codex mcp login " + quote(s.Name)}
			}
		},
		after: func(s Server) string {
			if s.hosted() && s.TokenEnv == "" {
				return "If Codex has not asked you to sign in: codex mcp login " + s.Name
			}
			return "Start Codex again; codex mcp list shows it."
		},
	}
}

func cursor() Client {
	return Client{
		Name: "cursor", Title: "Cursor",
		path:   func(p Place) string { return filepath.Join(p.Home, ".cursor", "mcp.json") },
		format: jsonFormat{comments: true}, key: "mcpServers", tokenEnv: "${env:%s}", variable: braced, // #nosec G101 -- how a variable is quoted
		entry: plainEntry,
		link: func(s Server, entry object) string {
			return "cursor://anysphere.cursor-deeplink/mcp/install?name=" + url.QueryEscape(s.Name) +
				"&config=" + url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(entry.compact())))
		},
		after: func(s Server) string {
			if s.hosted() {
				return "Open Cursor's settings, then MCP, and sign in where it asks."
			}
			return "Start Cursor again, or reload its window."
		},
	}
}

func vsCode() Client {
	named := func(s Server, entry object) object { return append(object{{"name", s.Name}}, entry...) }
	return Client{
		Name: "vscode", Title: "VS Code",
		path:   func(p Place) string { return filepath.Join(p.applicationData(), "Code", "User", "mcp.json") },
		format: jsonFormat{comments: true}, key: "servers", variable: braced,
		entry: typedEntry,
		command: func(s Server, quote func(string) string) []string {
			return []string{"code --add-mcp " + quote(named(s, typedEntry(Client{}, s)).compact())}
		},
		link: func(s Server, entry object) string {
			return "vscode:mcp/install?" + url.PathEscape(named(s, entry).compact())
		},
		after: func(s Server) string {
			if s.hosted() {
				return "Run MCP: List Servers from the Command Palette, start " + s.Name + " and sign in when it asks."
			}
			return "Run MCP: List Servers from the Command Palette and start " + s.Name + "."
		},
	}
}

func gemini() Client {
	return Client{
		Name: "gemini", Title: "Gemini CLI",
		path:   func(p Place) string { return filepath.Join(p.Home, ".gemini", "settings.json") },
		format: jsonFormat{comments: true}, key: "mcpServers", tokenEnv: "$%s", variable: regexp.MustCompile(`\$[\w{]`),
		entry: func(c Client, s Server) object {
			if !s.hosted() {
				return plainEntry(c, s)
			}
			return append(object{{"url", s.URL}, {"type", "http"}}, c.headers(s)...)
		},
		command: func(s Server, quote func(string) string) []string {
			switch {
			case !s.hosted():
				// What looks like a flag goes behind --, as its documentation shows it.
				words := "gemini mcp add --scope user " + quote(s.Name) + " " + quote(s.Command)
				for i, argument := range s.Arguments {
					if i == 0 || !strings.HasPrefix(argument, "-") {
						words += " " + quote(argument)
						continue
					}
					return []string{words + " -- " + joinQuoted(quote, s.Arguments[i:])}
				}
				return []string{words}
			case s.TokenEnv != "":
				return nil // its command would store what the shell makes of the variable
			default:
				return []string{"gemini mcp add --scope user --transport http " + quote(s.Name) + " " + quote(s.URL)}
			}
		},
		after: func(s Server) string {
			if s.hosted() && s.TokenEnv == "" {
				return "In Gemini CLI, type /mcp auth " + s.Name + " and sign in."
			}
			return "Start Gemini CLI again in a folder that it trusts; /mcp shows it."
		},
	}
}

func zed() Client {
	return Client{
		Name: "zed", Title: "Zed",
		path: func(p Place) string {
			switch p.OS {
			case "windows":
				return filepath.Join(p.applicationData(), "Zed", "settings.json")
			case "linux":
				return filepath.Join(p.configHome(), "zed", "settings.json")
			default:
				return filepath.Join(p.Home, ".config", "zed", "settings.json")
			}
		},
		format: jsonFormat{comments: true}, key: "context_servers",
		entry: plainEntry,
		after: func(s Server) string {
			if s.hosted() {
				return "In Zed, open Settings, then AI, then MCP Servers, and sign in where it asks."
			}
			return "In Zed, Settings, then AI, then MCP Servers shows it with a green dot."
		},
	}
}

func generic() Client {
	return Client{
		Name: "generic", Title: "another client",
		format: jsonFormat{comments: true}, key: "mcpServers",
		entry: plainEntry,
		after: func(s Server) string {
			if s.hosted() {
				return "A client that signs in by itself needs the address alone; it follows the server's 401 answer."
			}
			return "A client that wants command and arguments apart takes them from the entry above."
		},
	}
}

// typedEntry is the entry of hosts that want the transport named.
func typedEntry(c Client, s Server) object {
	if s.hosted() {
		return append(object{{"type", "http"}, {"url", s.URL}}, c.headers(s)...)
	}
	return object{{"type", "stdio"}, {"command", s.Command}, {"args", s.Arguments}}
}

// plainEntry is the entry of hosts that tell the transport from the keys.
func plainEntry(c Client, s Server) object {
	if s.hosted() {
		return append(object{{"url", s.URL}}, c.headers(s)...)
	}
	return object{{"command", s.Command}, {"args", s.Arguments}}
}

// headers name the variable that holds the token, never a token.
func (c Client) headers(s Server) object {
	if s.TokenEnv == "" {
		return nil
	}
	return object{{"headers", object{{"Authorization", "Bearer " + strings.ReplaceAll(c.tokenEnv, "%s", s.TokenEnv)}}}}
}

// ByName finds a client by what is typed.
func ByName(name string) (Client, bool) {
	for _, client := range All() {
		if client.Name == name {
			return client, true
		}
	}
	return Client{}, false
}

// Names are the names of all clients, in the order in which they are listed.
func Names() []string {
	var names []string
	for _, client := range All() {
		names = append(names, client.Name)
	}
	return names
}
