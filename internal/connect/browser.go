package connect

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

type callback struct{ code, refused string }

// A loopback serves the browser of this machine during one authorization. The browser opens its start page, which redirects to the
// server only once, because the list of processes shows the address with which a browser is started.
type loopback struct {
	start, state string
	address      string // 127.0.0.1:PORT
	target       string // URL of the authorization request
	issuer       string
	namesIssuer  bool          // the server announces an iss parameter in each answer (RFC 9207)
	begun        atomic.Bool   // the start page was opened
	done         chan callback // gets one value when the browser comes back
	cameBack     func()
}

// byBrowser is the authorization code grant with PKCE (RFC 7636) and a loopback redirect (RFC 8252).
func (a *attempt) byBrowser(ctx context.Context) (issued, error) {
	if a.server.Authorization == "" || a.Open == nil || !slices.Contains(a.server.Challenges, "S256") {
		return issued{}, errNoWay
	}
	if !slices.Contains(a.app.RedirectURIs, redirectURI) { // the stored registration is another program's
		if err := a.register(ctx); err != nil {
			return issued{}, err
		}
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return issued{}, err
	}
	l := &loopback{
		start: "/" + rand.Text(), state: rand.Text(), address: listener.Addr().String(),
		issuer: a.server.Issuer, namesIssuer: a.server.NamesIssuer, done: make(chan callback, 1),
	}
	redirect, verifier := "http://"+l.address+"/callback", oauth2.GenerateVerifier()
	config := oauth2.Config{ClientID: a.app.ID, RedirectURL: redirect, Endpoint: oauth2.Endpoint{AuthURL: a.server.Authorization}}
	l.target = config.AuthCodeURL(l.state, oauth2.S256ChallengeOption(verifier),
		oauth2.SetAuthURLParam("authorization_details", a.detailsText()), oauth2.SetAuthURLParam("resource", a.server.resource))
	back, err := a.browse(ctx, l, listener)
	if err != nil {
		return issued{}, err
	}
	if back.refused != "" {
		return issued{}, ended(back.refused, back.refused)
	}
	return take(a.post(context.WithoutCancel(ctx), a.server.Token, url.Values{ // not canceled: Connect revokes an unused grant by its token
		"grant_type": {"authorization_code"}, "code": {back.code}, "client_id": {a.app.ID}, "redirect_uri": {redirect}, "code_verifier": {verifier},
	}))
}

// beforeItCameBack is part of the message for a stopped wait in which the server cannot be asked whether the owner approved.
const beforeItCameBack = "before it was known whether the owner approved. What is approved on the open page"

// browse opens the browser and waits for it to come back. After a refusal it need not: the server may show that and send nothing here.
func (a *attempt) browse(ctx context.Context, l *loopback, listener net.Listener) (callback, error) {
	waiting, cameBack := context.WithCancel(ctx)
	defer cameBack()
	l.cameBack = cameBack
	server := &http.Server{Handler: l, ReadHeaderTimeout: requestTime, MaxHeaderBytes: 16 << 10}
	go func() { _ = server.Serve(listener) }()
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // for the browser to read its last page
		defer cancel()
		_ = server.Shutdown(ending)
		_ = server.Close()
	}()
	first := "http://" + l.address + l.start
	how := "Your browser opens. Sign in as the owner and approve. If it does not open, visit:"
	if a.Open(first) != nil {
		how = "Open this address in a browser of this machine, sign in as the owner and approve:"
	}
	a.Say("%s\n\n  %s\n", how, first)
	a.Say("%s", a.aboutWait(defaultApprovalTime))
	_ = a.Wait(waiting, defaultApprovalTime) // l.done and ctx tell how it ended
	select {
	case back := <-l.done: // even if the program was stopped at that moment
		return back, nil
	default:
	}
	if ctx.Err() != nil {
		return callback{}, a.stopped(beforeItCameBack)
	}
	return callback{}, exit.NotReadyError("the browser did not come back in time: nobody approved, " +
		"or the page in the browser says what was refused. Run the command again, and approve nothing on the old page.")
}

// ServeHTTP redirects the browser to the server, and receives the answer. It does each only once, and only for requests to l.address.
func (l *loopback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if r.Host != l.address || r.Method != http.MethodGet {
		http.Error(w, "This address is for one browser on this machine.", http.StatusForbidden)
		return
	}
	switch r.URL.Path {
	case l.start:
		if l.begun.Swap(true) {
			http.Error(w, "This address was opened before. Run the command again.", http.StatusGone)
			return
		}
		w.Header().Set("Location", l.target)
		w.WriteHeader(http.StatusFound)
	case "/callback":
		l.callback(w, r.URL.Query())
	default:
		http.NotFound(w, r)
	}
}

// callback accepts the answer if its state and issuer (RFC 9207) match the request.
func (l *loopback) callback(w http.ResponseWriter, query url.Values) {
	back, err := l.read(query)
	if err != nil {
		http.Error(w, "This is not the answer that the terminal waits for: "+err.Error()+".", http.StatusBadRequest)
		return
	}
	select {
	case l.done <- back:
		l.cameBack()
		_, _ = fmt.Fprintln(w, "You can close this page and go back to the terminal.")
	default:
		http.Error(w, "The terminal has an answer already.", http.StatusGone)
	}
}

func (l *loopback) read(query url.Values) (callback, error) {
	for name, values := range query {
		if len(values) != 1 {
			return callback{}, fmt.Errorf("%s occurs %d times", name, len(values))
		}
	}
	code, refused := query.Get("code"), query.Get("error")
	switch {
	case subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(l.state)) != 1:
		return callback{}, errors.New("its state does not match")
	case (l.namesIssuer || query.Has("iss")) && query.Get("iss") != l.issuer:
		return callback{}, errors.New("it comes from another issuer")
	case !isCode(refused):
		return callback{}, errors.New("its error is not a code")
	case (code == "") == (refused == ""):
		return callback{}, errors.New("it must have either a code or an error")
	}
	return callback{code, refused}, nil
}
