package connect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	renewAhead = time.Minute      // before the end of an access token; at most a quarter of its life
	renewTime  = 30 * time.Second // one renewal with its wait for another process
	renewPause = 5 * time.Second  // after one that failed in passing
)

// A Keeper keeps one stored credential usable: it reads again what another process wrote, and renews an access token ahead of its end.
// A refresh token is sent once, by one process, whatever becomes of the answer. It is safe for concurrent use.
type Keeper struct {
	client *client
	now    func() time.Time
	write  func(*os.File, []byte) (int, error) // nil: to the disk

	turn    chan struct{} // holds one value while what is below is free
	current credentials.Credential
	pause   time.Time // no renewal before
	why     error     // there is a pause

	shown atomic.Pointer[credentials.Credential] // current, for those who do not wait for their turn

	// vouch says whose token it is, when the owner has connected anew: without it a token of another grant is not taken over.
	vouch func(context.Context, rs.Token) error
}

// NewKeeper returns the keeper of a credential that was loaded.
func NewKeeper(c credentials.Credential, agent string, now func() time.Time) *Keeper {
	k := &Keeper{client: newClient(agent), now: now, current: c, turn: make(chan struct{}, 1)}
	k.leave()
	return k
}

// stored is the credential as it was read or renewed last. It does not wait for a renewal under way.
func (k *Keeper) stored() credentials.Credential { return *k.shown.Load() }

// Token returns the token to read with. Its error is an *[rs.Error] that says to connect again.
func (k *Keeper) Token(ctx context.Context) (rs.Token, error) {
	if err := k.enter(ctx); err != nil {
		return rs.Token{}, err
	}
	defer k.leave()
	var err error
	switch {
	case k.due() && !k.now().Before(k.pause):
		before := k.current.Token
		if err = k.renew(ctx); err == nil && k.current.Token != before {
			return k.current.Token, nil // however short its life is, and however long it took to write it
		}
	case k.ended():
		if err = k.reread(ctx); err == nil && k.now().Before(k.pause) {
			err = k.why
		}
	}
	if k.ended() {
		return rs.Token{}, k.connectAgain(err)
	}
	return k.current.Token, nil
}

// Renew returns another token than one that the resource server refused, or the same: an access token that has ended and a grant that
// has ended are refused with one code, so that only a renewal tells.
func (k *Keeper) Renew(ctx context.Context, refused rs.Token, code rs.Code) (rs.Token, error) {
	if err := k.enter(ctx); err != nil {
		return rs.Token{}, err
	}
	defer k.leave()
	if k.current.Token != refused {
		return k.current.Token, nil
	}
	if code == "grant_expired" && k.current.Document.Refresh != nil {
		if err := k.renew(ctx); err != nil {
			return refused, k.connectAgain(err)
		}
	} else {
		_ = k.reread(ctx) // then the refused token is all there is
	}
	return k.current.Token, nil
}

// Close waits for a renewal under way.
func (k *Keeper) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), renewTime)
	defer cancel()
	if k.enter(ctx) == nil {
		k.leave()
	}
}

func (k *Keeper) enter(ctx context.Context) error {
	select {
	case <-k.turn:
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.Canceled) {
			return &rs.Error{Code: "canceled", Message: "The caller hung up before the access was looked at.", Cause: ctx.Err()}
		}
		return &rs.Error{Code: "deadline_exceeded", Message: "The access could not be renewed in time.", Cause: ctx.Err()}
	}
}

func (k *Keeper) leave() {
	current := k.current
	k.shown.Store(&current)
	k.turn <- struct{}{}
}

// due reports whether the access token is to be renewed.
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

// renew has the lock of all processes while it asks and writes. The end of a call does not end it: its answer would be lost.
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

// refusedForGood are the codes after which no renewal will succeed (RFC 6749 section 5.2): the refresh token is dead, and with it every
// token of the grant that was renewed from it.
var refusedForGood = []string{"invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type"}

// exchange sends the refresh token, once, and stores the answer. The caller has the lock, and a context that outlives the call. Only where
// nothing was sent, or the server said that it has not used the token, may it be sent later: a second time is taken for theft.
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
		err = renew(&d, answer, k.now())
	}
	refused := refusalOf(err)
	switch {
	case err == nil:
		return k.use(reservation, d)
	case slices.Contains(refusedForGood, refused.Code):
		d.Refresh = nil
		if failed := k.use(reservation, d); failed != nil {
			return failed
		}
		return fmt.Errorf("the server does not renew the access any more (%w)", err)
	case refused.putsOff():
		k.pause, k.why = k.now().Add(max(renewPause, refused.wait)), fmt.Errorf("the server put the renewal off (%w)", err)
		return errors.Join(k.why, reservation.Drop())
	case errors.Is(err, errNotSent):
		k.pause, k.why = k.now().Add(renewPause), err
		return errors.Join(k.why, reservation.Drop())
	}
	return fmt.Errorf("%w (%w)", credentials.ErrAnswerLost, err)
}

// renew puts the tokens of an answer into what is stored.
func renew(d *credentials.Document, answer []byte, now time.Time) error {
	t, err := readToken(answer)
	if err != nil {
		return err
	}
	if t.GrantID != d.Credential.GrantID {
		return errors.New("its token is of another grant")
	}
	before := *d.Refresh
	if t.RefreshToken == "" { // RFC 6749 section 6: the old one stays good
		t.RefreshToken = before.Token
	}
	d.Credential.AccessToken = t.AccessToken
	d.Credential.SetExpiry(time.Time{})
	setLifetime(d, t, before.TokenEndpoint, now)
	d.Refresh.Replaces = before.Mark()
	return nil
}

// errNotStorable means that an answer could not be stored on this machine, so that none was asked for.
var errNotStorable = errors.New("its renewal could not be stored, and was not asked for")

// reread takes over what another process has stored, such as a new grant.
func (k *Keeper) reread(ctx context.Context) error {
	if k.current.Path == "" { // it is this process's own
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
	if k.vouch == nil {
		return errors.New("another grant is stored now")
	}
	before := k.current
	if k.current = fresh; err == nil && k.ended() { // not used yet
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
		defer cancel()
		err = k.exchange(ctx)
	}
	if err == nil {
		err = k.vouch(ctx, k.current.Token)
	}
	if err != nil {
		k.current = before
	}
	return err
}

// use writes an answer and takes it over. One that cannot be written is lost: the reservation stays, and says so to every process.
func (k *Keeper) use(r *credentials.Reservation, d credentials.Document) error {
	if k.write != nil {
		r.Write = k.write
	}
	if err := r.Commit(d); err != nil {
		return fmt.Errorf("%w (%w)", credentials.ErrAnswerLost, err)
	}
	k.current.Document, k.current.Token = d, rs.NewToken(string(d.Credential.AccessToken))
	k.current.Expires, _ = d.Credential.Expiry() // we wrote it
	return nil
}

// connectAgain says what to do when a credential is at its end, or cannot be renewed now.
func (k *Keeper) connectAgain(why error) error {
	message := "The access to " + k.current.ProviderURL + " has ended"
	if why != nil {
		message += ": " + strings.ReplaceAll(why.Error(), "\n", "; ")
	}
	if errors.Is(why, errNotStorable) {
		hint := "The user has to make that file writable on this machine, or free space on its disk; the access is then renewed by itself."
		return &rs.Error{Code: "credential_not_stored", Message: message + ".", Hint: hint, Cause: why}
	}
	if k.current.Document.Refresh != nil && !errors.Is(why, credentials.ErrAnswerLost) { // no error: it failed a moment ago
		return &rs.Error{Code: rs.AuthorityUnreachable, Message: message + ".", Hint: "It is renewed by itself: retry in a moment.", Cause: why}
	}
	return &rs.Error{Code: "grant_expired", Status: http.StatusForbidden, Message: message + ".", Hint: k.hint(), Cause: why}
}

func (k *Keeper) hint() string {
	return "The user has to connect again, in a terminal: " + credentials.ConnectCommand(k.current)
}
