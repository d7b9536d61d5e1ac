package connect

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// Principal returns the principal of the stored credentials of one provider. Several credentials are read as one, like the members of a
// package. Each token is identified by the schema before anything else is read, so that an owner's token stored by mistake reads no record.
// A credential that cannot be identified yet is identified before its first read; Principal fails if that is true of all. Its errors are
// those of [credentials.Identify].
func Principal(ctx context.Context, c *rsclient.Client, keepers []*Keeper) (auth.Principal, error) {
	if len(keepers) > 1 {
		return packagePrincipal(ctx, c, keepers)
	}
	reader := keepers[0].reads(c)
	principal, err := credentials.Identify(ctx, reader, keepers[0].current)
	if err != nil {
		return auth.Principal{}, err
	}
	principal.Reader, principal.Terms = reader, termsOf(keepers, nil)
	return principal, nil
}

// termsOf returns the terms of stored grants as they are at each call. connections has the connection ids by the name of the credential; it
// is nil for a single credential.
func termsOf(keepers []*Keeper, connections map[string][]string) *auth.Terms {
	return &auth.Terms{
		Limits: func() ([]rs.TimeLimit, bool) { return limits(storedNow(keepers), connections) },
		Connect: func(missing rs.Missing) []string {
			return credentials.ConnectCommands(storedNow(keepers), missing)
		},
	}
}

// packagePrincipal returns the principal of several credentials, which are read as a package.
func packagePrincipal(ctx context.Context, c *rsclient.Client, keepers []*Keeper) (auth.Principal, error) {
	connections := map[string][]string{} // ids by the name of the credential
	readers := map[rs.Token]rs.Doer{}
	var members []fanout.Member
	var identified auth.Principal // of one of the credentials
	var first error
	for _, k := range keepers {
		stored, reader := k.current, k.reads(c)
		principal, err := credentials.Identify(ctx, reader, stored)
		if code := exit.CodeOf(err); err != nil && (code == 0 || code == exit.Owner) {
			return auth.Principal{}, err
		}
		if err != nil { // may be transient: the owner may connect again
			first = cmp.Or(first, err)
			readers[stored.Token] = &unidentified{reader: reader, stored: stored}
			members = append(members, storedMembers(stored)...)
			continue
		}
		found, err := membersOf(ctx, reader, stored)
		if err != nil {
			return auth.Principal{}, unavailable(stored.ProviderURL, errors.New("its schema cannot be read"))
		}
		readers[stored.Token], identified = reader, principal
		members = append(members, found...)
		for _, m := range found {
			connections[stored.Name] = append(connections[stored.Name], m.ID)
		}
	}
	if (identified.Token == rs.Token{}) {
		return auth.Principal{}, first
	}
	membership := fanout.Membership{PackageID: "stored", Members: members}
	options := fanout.PackageOptions{RefusalHold: refusalHold, Now: keepers[0].now}
	return auth.Principal{
		Token: identified.Token, Kind: auth.KindPackage, GrantID: membership.PackageID, ClientID: identified.ClientID,
		Terms:   termsOf(keepers, connections),
		Package: fanout.NewPackage(membership, func(token rs.Token) rs.Doer { return readers[token] }, options),
	}, nil
}

// reads returns what reads with the keeper's credential, and lets the keeper adopt a grant that can be identified.
func (k *Keeper) reads(c *rsclient.Client) rs.Doer {
	stored := k.current
	k.identified = stored.Token // by [Principal]
	k.identifyNew = func(ctx context.Context, token rs.Token) error {
		other := stored
		other.Token = token
		_, err := credentials.Identify(ctx, c.For(rsclient.Caller{Token: token}), other)
		return err
	}
	return renewing{k, func(token rs.Token) rs.Doer {
		return c.For(rsclient.Caller{Kind: auth.KindClient, GrantID: stored.GrantID, Token: token})
	}}
}

// refusalHold is how long a refused grant is not read again. It is short, because the owner is at this machine and may connect again at
// any moment.
const refusalHold = 5 * time.Second

// storedNow returns the current credentials: the owner may have connected again since the program started. It does not wait for a renewal
// under way.
func storedNow(keepers []*Keeper) []credentials.Credential {
	var all []credentials.Credential
	for _, k := range keepers {
		all = append(all, *k.snapshot.Load())
	}
	return all
}

// limits returns the time limits of the stored grants, with their connections if there are several. known means that the list is complete.
func limits(all []credentials.Credential, connections map[string][]string) (limits []rs.TimeLimit, known bool) {
	for _, c := range all {
		of := c.Document.Grant.TimeLimits()
		for i := range of {
			of[i].Connections = connections[c.Name]
		}
		limits = append(limits, of...)
	}
	return limits, !slices.ContainsFunc(all, func(c credentials.Credential) bool {
		return c.Document.Grant.Source == "" // stored by another program, without the terms of the grant
	})
}

// membersOf returns the connections of a grant as members, each with its streams.
func membersOf(ctx context.Context, reader rs.Doer, stored credentials.Credential) ([]fanout.Member, error) {
	response, err := rs.CompactSchema(ctx, reader, "", "")
	if err != nil {
		return nil, err
	}
	var members []fanout.Member
	at := map[string]int{}
	for _, s := range response.Schema().Streams {
		for _, c := range s.Connections {
			i, known := at[c.ID]
			if !known {
				i = len(members)
				at[c.ID] = i
				c.GrantID = stored.GrantID
				members = append(members, fanout.Member{Connection: c, Token: stored.Token})
			}
			members[i].Streams = append(members[i].Streams, s.Name)
		}
	}
	return members, nil
}

// storedMembers returns the members of a credential that could not be identified: the connections that its document lists, or one with the
// name of the credential as its id.
func storedMembers(stored credentials.Credential) []fanout.Member {
	ids := stored.Document.Grant.Connections
	if len(ids) == 0 {
		ids = []string{stored.Name}
	}
	var members []fanout.Member
	for _, id := range ids {
		members = append(members, fanout.Member{
			Connection: rs.Connection{ID: id, GrantID: stored.GrantID, ConnectorKey: stored.Document.Grant.SourceKey()},
			Token:      stored.Token, Streams: stored.Document.Grant.Streams,
		})
	}
	return members
}

// An unidentified reader identifies its token before the first read.
type unidentified struct {
	reader     rs.Doer
	stored     credentials.Credential
	identified atomic.Bool
}

// Do performs one read, unless the token cannot be identified.
func (u *unidentified) Do(ctx context.Context, r rs.Request) (*rs.Response, error) {
	if !u.identified.Load() {
		if _, err := credentials.Identify(ctx, u.reader, u.stored); err != nil {
			return nil, unidentifiedError(err)
		}
		u.identified.Store(true)
	}
	return u.reader.Do(ctx, r)
}

// refused adds the hint to connect again to the error of a read whose token was refused and cannot be replaced. It returns most 401 errors
// unchanged: they may be about a stream that is not granted, while the token is valid.
func (k *Keeper) refused(ctx context.Context, err error) error {
	answer := *rs.AsError(err)
	if answer.Status != http.StatusForbidden && answer.Code != "context.active_false" || k.lock(ctx) != nil {
		return err
	}
	defer k.unlock()
	answer.Hint = k.hint()
	return &answer
}

// renewing reads with the current token of a keeper. doer returns the resource server for one token. If a refusal may mean that the token
// is no longer valid, the read is repeated once with another token, if the keeper has one.
type renewing struct {
	keeper *Keeper
	doer   func(rs.Token) rs.Doer
}

// Do performs one read.
func (r renewing) Do(ctx context.Context, request rs.Request) (*rs.Response, error) {
	token, err := r.keeper.Token(ctx)
	if err != nil {
		return nil, err
	}
	response, err := r.doer(token).Do(ctx, request)
	if err == nil || !rs.AsError(err).RefusesToken() {
		return response, err
	}
	next, failed := r.keeper.Renew(ctx, token, rs.AsError(err).Code)
	switch {
	case failed != nil:
		return nil, failed
	case next == token:
		return nil, r.keeper.refused(ctx, err)
	}
	return r.doer(next).Do(ctx, request)
}
