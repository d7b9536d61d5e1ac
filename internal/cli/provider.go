package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/pflag"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/config"
	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/connect"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/internal/localserver"
	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// providerFlags select what a local command reads: stored grants of a provider, the sample year, or the person's own files.
type providerFlags struct {
	ProviderURL string
	cacheFlags
	GrantID string
	Only    []string
	Demo    bool
	dataFlags
}

// dataFlags select the person's own files to read, and the file of their index.
type dataFlags struct{ Data, DB string }

func (c *providerFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&c.ProviderURL, "provider-url", "",
		"`URL` of the provider that 'pdpp-mcp connect' connected; needed only if grants of several are stored")
	check(flags, dropPlaceholder, "provider-url")
	c.cacheFlags.declare(flags)
	flags.StringVar(&c.GrantID, "grant-id", "", "Read only the grant of this `ID`")
	flags.Var((*commas)(&c.Only), "only", "Read only the stored grants of these names (`NAME,...`); all of the provider if absent")
	flags.BoolVar(&c.Demo, "demo", false, "Read the sample year; needs nothing")
	c.declareRead(flags)
	config.Environment(flags, "PDPP_", "provider-url", "grant-id")
}

func (f *dataFlags) declare(flags *pflag.FlagSet, before, aboutIndex string) {
	flags.StringVar(&f.Data, "data", "", before+
		"a folder or one file (`PATH`), such as tables, JSON, mail, calendars, notes, documents and exports of services")
	flags.StringVar(&f.DB, "db", "", "Keep the index "+aboutIndex)
	paths(flags, "data", "db")
	check(flags, dropPlaceholder, "data")
}

// declareRead declares the flags for commands that only read the files.
func (f *dataFlags) declareRead(flags *pflag.FlagSet) {
	f.declare(flags, "Read your own files: ", "of --data in this `FILE`; in the cache folder if absent")
}

var errDBAlone = exit.UsageError("--db needs --data: it is where the index of those files is kept.")

// check returns a usage error if the flags name several things to read.
func (c providerFlags) check() error {
	switch {
	case several(c.Demo, c.Data != "", c.ProviderURL != ""):
		return exit.UsageError("--demo, --data and --provider-url name different things to read: give one.")
	case c.DB != "" && c.Data == "":
		return errDBAlone
	}
	return nil
}

// readable returns a usage error if the files do not exist.
func (f dataFlags) readable() error {
	if _, err := os.Stat(f.Data); f.Data != "" && err != nil {
		return exit.UsageError(fmt.Sprintf("--data: %s cannot be read: %v.", f.Data, errors.Unwrap(err)))
	}
	return nil
}

// several reports whether more than one argument is true.
func several(given ...bool) bool {
	return len(slices.DeleteFunc(given, func(one bool) bool { return !one })) > 1
}

// known sets an empty ProviderURL to the only provider with stored grants, if there is just one.
func (c providerFlags) known() providerFlags {
	if cached := credentials.CachedProviders(c.folder()); c.ProviderURL == "" && len(cached) == 1 {
		c.ProviderURL = cached[0]
	}
	return c
}

// open calls use with the provider and the credentials that the flags select. For the sample year or own files it starts an embedded server,
// which runs until use returns; local has its log, and whether use is called before it has loaded its data.
func (c providerFlags) open(ctx context.Context, app App, local localserver.Config, use func(provider) error) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Demo || c.Data != "" {
		local.Progress, local.Now = app.Err, time.Now
		source, err := c.start(ctx, local)
		if err != nil {
			return err
		}
		defer source.Close()
		return use(provider{url: source.URL, own: rs.NewToken(source.Tokens.Client)})
	}
	root, err := c.root()
	if err != nil {
		return err
	}
	if c = c.known(); c.ProviderURL == "" {
		_, unusable := credentials.Stored(root)
		app.warnUnusable(unusable)
		return exit.UsageError("--provider-url is required, unless grants of exactly one provider are stored: 'pdpp-mcp connect <provider-url> --source KEY' gets one. Without a provider, --data PATH reads your own files, --demo a sample year.")
	}
	stored, err := credentials.LoadCredentials(root, c.ProviderURL, c.Only, c.GrantID, time.Now())
	if err != nil {
		return err
	}
	p := provider{url: stored[0].ProviderURL}
	for _, credential := range stored {
		for _, warning := range credential.Warnings {
			app.warn("%s", warning)
		}
		credentials.Touch(credential.Path, time.Now())
		credential.Root = c.CacheRoot
		keeper := connect.NewKeeper(credential, app.userAgent(), time.Now)
		defer keeper.Close()
		p.keepers = append(p.keepers, keeper)
	}
	return use(p)
}

// withServer calls use with the pipeline that the flags select, and a context that has its principal. Calls read what a model would read.
func (c providerFlags) withServer(ctx context.Context, app App, use func(_ context.Context, _ *transport.Server, url string) error) error {
	log := app.log(zerolog.WarnLevel)
	return c.open(ctx, app, localserver.Config{Log: log}, func(p provider) error {
		server, principal, err := p.pipeline(ctx, app, transport.PipelineOptions{Logger: log}, observe.Observation{})
		if err != nil {
			return err
		}
		return use(auth.WithPrincipal(ctx, principal), server, p.url)
	})
}

// A provider is a resource server that a local command reads, with the credentials for it.
type provider struct {
	url     string
	own     rs.Token          // client token of an embedded server
	keepers []*connect.Keeper // of stored credentials; empty for an embedded server
}

// pipeline returns the pipeline and the principal for the provider's credentials. o has the options that do not depend on them. Each stored
// token is identified by the schema before anything else is read, so that an owner token stored by mistake reads no record.
func (p provider) pipeline(ctx context.Context, app App, o transport.PipelineOptions, watch observe.Observation) (*transport.Server, auth.Principal, error) {
	readTimeout := rsclient.DefaultReadTimeout
	if len(p.keepers) == 0 {
		readTimeout = middleware.DefaultDeadline // loading the data may take long on a slow machine; the call's deadline bounds the wait
	}
	client, err := rsclient.New(rsclient.Options{
		Base: p.url, UserAgent: app.userAgent(), ReadTimeout: readTimeout, Trace: watch.Trace("other"),
	})
	if err != nil {
		return nil, auth.Principal{}, exit.UsageError(err.Error())
	}
	principal := auth.Principal{Token: p.own, Kind: auth.KindClient, GrantID: "local"} // without one, no schema would be cached
	if len(p.keepers) > 0 {
		if principal, err = connect.Principal(ctx, client, p.keepers); err != nil {
			return nil, auth.Principal{}, err
		}
	}
	o.Client, o.RecordBase, o.Version, o.Tracer = client, strings.TrimRight(p.url, "/"), app.Version, watch.Tracer
	return transport.NewPipeline(o), principal, nil
}

// local returns the flags of stdio for the sample year or the person's own files, and a description of that data.
func (c providerFlags) local() (flags []string, name string) {
	if c.Data != "" {
		return clients.Flags("--data", c.Data, "--db", c.DB), "your files in " + c.Data
	}
	return []string{"--demo"}, "the sample year"
}

// start starts an embedded server for the files, or for the sample year if no files are named.
func (f dataFlags) start(ctx context.Context, c localserver.Config) (*localserver.Server, error) {
	c.Data, c.DB = f.Data, f.DB
	if f.Data != "" && f.DB == "" {
		var err error
		if c.DB, err = indexFor(f.Data); err != nil {
			return nil, err
		}
	}
	return localserver.Start(ctx, c)
}

// indexFor returns the default index file for an absolute path: the same for every command and every client.
func indexFor(path string) (string, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", exit.UsageError("--db is needed: this system has no cache folder.")
	}
	folder = filepath.Join(folder, "pdpp-mcp")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", &exit.Error{Code: exit.CannotWrite, Message: "the folder of indexes cannot be created: " + err.Error() + ". Name an index with --db."}
	}
	name := sha256.Sum256([]byte(filepath.Clean(path)))
	return filepath.Join(folder, hex.EncodeToString(name[:8])+".db"), nil
}

type cacheFlags struct {
	CacheRoot string
}

func (f *cacheFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.CacheRoot, "cache-root", "", "Folder (`DIR`) of the credential cache; ~/.pdpp if absent")
	paths(flags, "cache-root")
	config.Environment(flags, "PDPP_", "cache-root")
}

// folder returns the folder of the stored credentials, or "" if it is not known.
func (f cacheFlags) folder() string {
	home, _ := os.UserHomeDir() // "" on error; CacheRoot then uses only the flag
	return credentials.CacheRoot(f.CacheRoot, home)
}

// root returns the folder of the stored credentials, or a usage error if it is not known.
func (f cacheFlags) root() (string, error) {
	if root := f.folder(); root != "" {
		return root, nil
	}
	return "", exit.UsageError("the home folder is unknown: set HOME, or give --cache-root.")
}
