package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	renewAhead = time.Minute      // how long before its end an access token is renewed; at most a quarter of its lifetime
	renewTime  = 30 * time.Second // of one renewal, including the wait for another process
	renewPause = 5 * time.Second  // before the next renewal after a transient failure
)

// A Keeper keeps one stored credential usable: it reloads the credential that another process wrote, and renews an access token before it
// ends. It never sends a refresh token twice, even if the answer is lost. It is safe for concurrent use.
type Keeper struct {
	client *client
	now    func() time.Time
	write  func(*os.File, []byte) (int, error) // nil: to the disk

	mutex   chan struct{} // guards current, pause and why: unlocked while it has a value
	current credentials.Credential
	pause   time.Time // no renewal before this
	why     error     // the error that set pause

	snapshot atomic.Pointer[credentials.Credential] // current, for readers that do not lock

	// identifyNew identifies a renewed token, and that of another grant, after the owner has connected again. If nil, such a grant is not
	// adopted.
	identifyNew func(context.Context, rs.Token) error
	identified  rs.Token // the last token that identifyNew, or the caller, has identified: no other is used
}

// NewKeeper returns a keeper of a loaded credential. agent is the User-Agent of its requests.
func NewKeeper(c credentials.Credential, agent string, now func() time.Time) *Keeper {
	k := &Keeper{client: newClient(agent), now: now, current: c, mutex: make(chan struct{}, 1)}
	k.unlock()
	return k
}

// Token returns the token to read with. It renews the token if that is due. Its error is an *[rs.Error] that says what the user has to do.
func (k *Keeper) Token(ctx context.Context) (rs.Token, error) {
	if err := k.lock(ctx); err != nil {
		return rs.Token{}, err
	}
	defer k.unlock()
	var err error
	switch {
	case k.due() && !k.now().Before(k.pause):
		before := k.current.Token
		if err = k.renew(ctx); err == nil && k.current.Token != before {
			return k.usable(ctx) // even if it has ended meanwhile, because its lifetime is very short
		}
	case k.ended():
		if err = k.reread(ctx); err == nil && k.now().Before(k.pause) {
			err = k.why
		}
	}
	if k.ended() {
		return rs.Token{}, k.connectAgain(err)
	}
	return k.usable(ctx)
}

// Renew returns another token in place of one that the resource server refused, or the same one if there is no other. The code is the same
// for an expired access token and an expired grant, so only a renewal tells which it is.
func (k *Keeper) Renew(ctx context.Context, refused rs.Token, code rs.Code) (rs.Token, error) {
	if err := k.lock(ctx); err != nil {
		return rs.Token{}, err
	}
	defer k.unlock()
	if k.current.Token != refused {
		return k.usable(ctx)
	}
	if code == "grant_expired" && k.current.Document.Refresh != nil {
		if err := k.renew(ctx); err != nil {
			return refused, k.connectAgain(err)
		}
	} else {
		_ = k.reread(ctx) // on error the refused token stays
	}
	return k.usable(ctx)
}

// Close waits for a renewal under way.
func (k *Keeper) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), renewTime)
	defer cancel()
	if k.lock(ctx) == nil {
		k.unlock()
	}
}

func (k *Keeper) lock(ctx context.Context) error {
	select {
	case <-k.mutex:
		return nil
	case <-ctx.Done():
		return contextError(ctx)
	}
}

// contextError returns the error for a call that ended before its access was known.
func contextError(ctx context.Context) *rs.Error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &rs.Error{Code: "canceled", Message: "The caller hung up before the access was checked.", Cause: ctx.Err()}
	}
	return &rs.Error{Code: "deadline_exceeded", Message: "The access could not be renewed in time.", Cause: ctx.Err()}
}

func (k *Keeper) unlock() {
	current := k.current
	k.snapshot.Store(&current)
	k.mutex <- struct{}{}
}

func (k *Keeper) due() bool {
	refresh := k.current.Document.Refresh
	if refresh == nil || k.current.Expires.IsZero() {
		return false
	}
	ahead := renewAhead
	if quarter := time.Duration(refresh.Lifetime) * time.Second / 4; quarter > 0 {
		ahead = min(ahead, quarter)
	}
	return !k.now().Before(k.current.Expires.Add(-ahead))
}

func (k *Keeper) ended() bool {
	return !k.current.Expires.IsZero() && !k.now().Before(k.current.Expires)
}

// renew holds the lock of the credential's file, which all processes share, while it sends and writes. Canceling ctx does not cancel it,
// because the answer would be lost.
func (k *Keeper) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
	defer cancel()
	unlock, err := credentials.Lock(ctx, k.current.Path)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotStorable, err)
	}
	defer unlock()
	before := k.current.Token
	if err := k.adopt(ctx); err != nil || k.current.Token != before {
		return err
	}
	return k.exchange(ctx)
}

// refusedForGood are the codes after which no renewal will succeed (RFC 6749 section 5.2): the refresh token is invalid, and with it every
// token of the grant that was renewed from it.
var refusedForGood = []string{"invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type"}

// exchange sends the refresh token, once, and stores the answer. The caller must hold the file lock, and pass a context that outlives the
// call. The token may be sent again only if nothing was sent or the server has not used it: servers treat reuse as theft.
func (k *Keeper) exchange(ctx context.Context) error {
	d := k.current.Document
	if d.Refresh == nil {
		return errors.New("the stored access cannot be renewed")
	}
	reservation, err := k.current.Reserve()
	if err != nil {
		k.pause, k.why = k.now().Add(renewPause), fmt.Errorf("%w: %w", errNotStorable, err)
		return k.why
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {string(d.Refresh.Token)}, "client_id": {d.Client.ID}}
	answer, err := k.client.post(ctx, d.Refresh.TokenEndpoint, form)
	if err == nil {
		err = putTokens(&d, answer, k.now())
	}
	if err == nil {
		err = k.checkOwner(ctx, rs.NewToken(string(d.Credential.AccessToken)))
	}
	refused := refusalOf(err)
	switch {
	case err == nil:
		return k.store(reservation, d)
	case slices.Contains(refusedForGood, refused.Code):
		d.Refresh = nil
		if failed := k.store(reservation, d); failed != nil {
			return failed
		}
		return fmt.Errorf("the server no longer renews the access (%w)", err)
	case refused.retryable():
		k.pause, k.why = k.now().Add(max(renewPause, refused.wait)), fmt.Errorf("the server deferred the renewal (%w)", err)
		return errors.Join(k.why, reservation.Drop())
	case errors.Is(err, errNotSent):
		k.pause, k.why = k.now().Add(renewPause), err
		return errors.Join(k.why, reservation.Drop())
	}
	return fmt.Errorf("%w (%w)", credentials.ErrAnswerLost, err)
}

// checkOwner returns an error if a renewed token is an owner's: it is not stored. If the resource server does not answer now, checkOwner
// returns nil, because a token that is not stored is lost; the token is not used before it is identified.
func (k *Keeper) checkOwner(ctx context.Context, token rs.Token) error {
	if err := k.identify(ctx, token); exit.CodeOf(err) == exit.Owner {
		return err
	}
	return nil
}

// identify returns an error unless the resource server says that a token is a client's.
func (k *Keeper) identify(ctx context.Context, token rs.Token) error {
	if k.identifyNew == nil || token == k.identified {
		return nil
	}
	err := k.identifyNew(ctx, token)
	if err == nil {
		k.identified = token
	} else if ctx.Err() == nil {
		k.pause, k.why = k.now().Add(renewPause), err
	}
	return err
}

// usable returns the current token if it is identified.
func (k *Keeper) usable(ctx context.Context) (rs.Token, error) {
	token, err := k.current.Token, k.why
	if k.identifyNew == nil || token == k.identified || !k.now().Before(k.pause) {
		err = k.identify(ctx, token)
	}
	switch {
	case err == nil:
		return token, nil
	case ctx.Err() != nil:
		return rs.Token{}, contextError(ctx)
	}
	return rs.Token{}, unidentifiedError(err)
}

// putTokens puts the tokens of the answer to a renewal into the stored document.
func putTokens(d *credentials.Document, answer []byte, now time.Time) error {
	t, err := readToken(answer)
	if err != nil {
		return err
	}
	if t.GrantID != d.Credential.GrantID {
		return errors.New("its token is of another grant")
	}
	before := *d.Refresh
	t.RefreshToken = cmp.Or(t.RefreshToken, before.Token) // RFC 6749 section 6: without a new one, the old one stays valid
	d.Credential.AccessToken = t.AccessToken
	d.Credential.SetExpiry(time.Time{})
	setLifetime(d, t, before.TokenEndpoint, now)
	d.Refresh.Replaces = before.Mark()
	return nil
}

// errNotStorable means that no renewal was requested, because its answer could not be stored on this machine.
var errNotStorable = errors.New("its renewal could not be stored, so none was requested")

// reread adopts what another process has stored, such as a new grant.
func (k *Keeper) reread(ctx context.Context) error {
	if k.current.Path == "" { // it is not in a file
		return nil
	}
	unlock, err := credentials.Lock(ctx, k.current.Path)
	if err != nil {
		return err
	}
	defer unlock()
	return k.adopt(ctx)
}

func (k *Keeper) adopt(ctx context.Context) error {
	fresh, err := k.current.Reload(k.now())
	if err != nil && !errors.Is(err, credentials.ErrAnswerLost) {
		return err
	}
	if fresh.GrantID == k.current.GrantID {
		k.current = fresh
		return err
	}
	if k.identifyNew == nil {
		return errors.New("another grant is stored now")
	}
	before := k.current
	if k.current = fresh; err == nil && k.ended() { // not used yet
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
		defer cancel()
		err = k.exchange(ctx)
	}
	if err == nil {
		err = k.identify(ctx, k.current.Token)
	}
	if err != nil {
		k.current = before
	}
	return err
}

// store stores a renewed document and makes it current. If that fails, the answer is lost; the reservation stays, to tell every process.
func (k *Keeper) store(r *credentials.Reservation, d credentials.Document) error {
	if k.write != nil {
		r.Write = k.write
	}
	if err := r.Commit(d); err != nil {
		return fmt.Errorf("%w (%w)", credentials.ErrAnswerLost, err)
	}
	k.current.Document, k.current.Token = d, rs.NewToken(string(d.Credential.AccessToken))
	k.current.Expires, _ = rs.ReadExpiry(d.Credential.ExpiresAt) // we wrote it
	return nil
}

// connectAgain returns the error for an access token that has ended and could not be renewed. Its hint says what to do. why is for the log:
// it may contain an address.
func (k *Keeper) connectAgain(why error) error {
	ended := "The access to " + k.current.ProviderURL + " has ended"
	e := &rs.Error{Code: "grant_expired", Status: http.StatusForbidden, Message: ended + ".", Hint: k.hint()}
	switch {
	case errors.Is(why, errNotStorable):
		e.Code, e.Status, e.Message = "credential_not_stored", 0, ended+", and its renewal could not be stored in "+k.current.Path+"."
		e.Hint = "The user has to make that file and its folder writable on this machine, or free space on its disk; " +
			"the access is then renewed by itself."
	case k.current.Document.Refresh != nil && !errors.Is(why, credentials.ErrAnswerLost): // without why it failed a moment ago
		e.Code, e.Status, e.Message = rs.AuthorityUnreachable, 0, ended+", and could not be renewed now."
		e.Hint = "It is renewed by itself: retry in a moment."
	}
	if why != nil {
		e.Cause = rs.LoggableError{Err: why}
	}
	return e
}

func (k *Keeper) hint() string {
	return "The user has to connect again, in a terminal: " + credentials.ConnectCommand(k.current)
}
