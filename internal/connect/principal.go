package connect

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// Principal returns who reads with stored credentials of one provider. Several are read as one, as the members of a package are. The
// schema says of each token whose it is before anything else is read, so that a mis-filed owner's reads no record. A credential that
// cannot be read is a member that says so; where none can, that is the error. Its errors are those of [credentials.Identify]. cacheRoot is
// where they are stored, "" for the usual place.
func Principal(ctx context.Context, c *rsclient.Client, keepers []*Keeper, cacheRoot string) (auth.Principal, error) {
	var all []credentials.Credential
	for _, k := range keepers {
		all = append(all, k.current)
	}
	terms := &auth.Terms{Limits: limits(all), LimitsKnown: !slices.ContainsFunc(all, unknownGrant), Connect: func(missing rs.Missing) []string { return Commands(all, cacheRoot, missing) }}
	readers := map[rs.Token]rs.Doer{}
	var members []fanout.Member
	var only auth.Principal
	var first error
	for _, k := range keepers {
		stored := k.current
		caller := rsclient.Caller{Kind: auth.KindClient, GrantID: stored.GrantID}
		reader := renewing{k, func(token rs.Token) rs.Doer {
			caller := caller
			caller.Token = token
			return c.For(caller)
		}}
		k.vouch = func(ctx context.Context, token rs.Token) error {
			_, err := credentials.Identify(ctx, probe(c.For(rsclient.Caller{Token: token})), stored.ProviderURL, token)
			return err
		}
		principal, err := credentials.Identify(ctx, probe(reader), stored.ProviderURL, stored.Token)
		var failed *exit.Error
		switch {
		case err != nil && (len(keepers) == 1 || !errors.As(err, &failed) || failed.Code == exit.Owner):
			return auth.Principal{}, err
		case err != nil:
			first = cmp.Or(first, err)
			members = append(members, refusedMembers(stored, failed)...)
		case len(keepers) == 1:
			principal.Reader, principal.Terms = reader, terms
			return principal, nil
		default:
			found, err := membersOf(ctx, reader, stored)
			if err != nil {
				return auth.Principal{}, unavailable(stored.ProviderURL, errors.New("its schema cannot be read"))
			}
			readers[stored.Token], only = reader, principal
			members = append(members, found...)
		}
	}
	if len(readers) == 0 {
		return auth.Principal{}, first
	}
	membership := fanout.Membership{PackageID: "stored", Members: members}
	return auth.Principal{
		Token: only.Token, Kind: auth.KindPackage, GrantID: membership.PackageID, ClientID: only.ClientID, Terms: terms,
		Package: fanout.NewPackage(membership, func(token rs.Token) rs.Doer { return readers[token] }, fanout.PackageOptions{}),
	}, nil
}

func probe(reader rs.Doer) auth.SchemaProbe {
	return auth.SchemaProbe{For: func(rs.Token) rs.Doer { return reader }}
}

// unknownGrant reports whether another program has stored a credential without what was granted.
func unknownGrant(c credentials.Credential) bool { return c.Document.Grant.Source == "" }

// membersOf lists the connections of a grant, and what may be read of each.
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

// refusedMembers are the connections of a credential that cannot be read, as far as it says which.
func refusedMembers(stored credentials.Credential, failed *exit.Error) []fanout.Member {
	ids := stored.Document.Grant.Connections
	if len(ids) == 0 {
		ids = []string{stored.Name}
	}
	var members []fanout.Member
	for _, id := range ids {
		members = append(members, fanout.Member{
			Connection: rs.Connection{ID: id, GrantID: stored.GrantID, ConnectorKey: stored.Document.Grant.SourceKey()},
			Streams:    stored.Document.Grant.Streams,
			Refused:    &rs.Error{Code: rs.ChildUnusable, Message: failed.Message},
		})
	}
	return members
}
