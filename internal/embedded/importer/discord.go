package importer

import (
	"io/fs"
	"path"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/services"
)

// Discord exports a folder for each channel, which holds what is known of it and the messages, and a list of the channels beside those.

const (
	discordChannel = "channel.json"
	discordList    = "index.json"
)

var discordFolder = item.Expression(`^c?(\d{15,20})$`)

// isDiscord reports a file in the folder of a channel.
func isDiscord(fsys fs.FS, name string) bool {
	switch path.Base(name) {
	case "messages.json", "messages.csv", discordChannel:
		info, err := fs.Stat(fsys, path.Join(path.Dir(name), discordChannel))
		return err == nil && info.Mode().IsRegular() && discordFolder().MatchString(path.Base(path.Dir(name)))
	}
	return false
}

// isDiscordList reports the list of the channels, whose names are those of the channels and of their messages.
func isDiscordList(fsys fs.FS, name string) bool {
	if path.Base(name) != discordList {
		return false
	}
	folders, _ := fs.ReadDir(fsys, path.Dir(name))
	for _, folder := range folders {
		if folder.IsDir() && isDiscord(fsys, path.Join(path.Dir(name), folder.Name(), discordChannel)) {
			return true
		}
	}
	return false
}

// discord groups the messages of all channels, and what is known of those.
func discord(folder, name string) string {
	group := aboveFolder("messages")(folder, name)
	if path.Base(name) == discordChannel {
		group = path.Join(group, "channels")
	}
	return group
}

// readDiscord reads a channel or its messages.
func readDiscord(in *opened) item.Records {
	s := in.of
	read := func(name string, read func(seekableFile)) {
		if file, err := openFile(s.from.fsys, name); err == nil {
			read(file)
			_ = file.Close() // it was only read
		}
	}
	if s.channels == nil {
		s.channels = services.DiscordNames{}
		read(path.Join(path.Dir(in.folder), discordList), func(file seekableFile) { s.channels = services.ReadDiscordNames(file) })
	}
	id := strings.TrimPrefix(path.Base(in.folder), "c")
	if path.Base(in.name) == discordChannel {
		return services.ReadDiscordChannel(in.text, id, s.channels).Record()
	}
	var channel services.DiscordChannel
	read(path.Join(in.folder, discordChannel), func(file seekableFile) { channel = services.ReadDiscordChannel(file, id, s.channels) })
	return channel.Messages(in.text, in.isNamed(".csv"))
}
