package connect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// Bounds of a wait for the owner.
const (
	defaultPollInterval = 2 * time.Second // as in the reference implementation; RFC 8628 has 5 s
	longestPollInterval = 30 * time.Second
	defaultApprovalTime = 300 * time.Second
	longestApprovalTime = 30 * time.Minute
	lastQuestionTime    = 5 * time.Second // of the last poll after the program was stopped
)

// A started request waits for the owner's approval. Its codes are secret.
type started struct {
	RequestURI       string  `json:"request_uri"`
	AuthorizationURL string  `json:"authorization_url"`
	ApprovalURL      string  `json:"approval_url"`
	PollURL          string  `json:"poll_url"`
	TokenURL         string  `json:"token_url"`
	PollingCode      string  `json:"polling_code"`
	DeviceCode       string  `json:"device_code"`
	UserCode         string  `json:"user_code"`
	VerificationURI  string  `json:"verification_uri"`
	CompleteURI      string  `json:"verification_uri_complete"`
	Interval         float64 `json:"interval"` // seconds
	IntervalMS       float64 `json:"interval_ms"`
	ExpiresIn        float64 `json:"expires_in"` // seconds
}

// readStarted reads the answer to a request that starts a wait for the owner. It refuses the flow that issues owner tokens.
func (a *attempt) readStarted(answer []byte, err error) (started, error) {
	if err != nil {
		return started{}, explained("ask the owner", err)
	}
	var s started
	if err := decode(answer, &s); err != nil {
		return started{}, err
	}
	if !isCode(strings.ReplaceAll(s.UserCode, " ", "")) {
		return started{}, errors.New("its user code has characters that no terminal should show")
	}
	for _, address := range []string{s.AuthorizationURL, s.ApprovalURL, s.PollURL, s.TokenURL, s.VerificationURI, s.CompleteURI} {
		if err := a.server.checkOrigin(address); err != nil {
			return started{}, err
		}
		if address != "" && !rs.IsHeaderText(address) {
			return started{}, errors.New("an address in its answer has characters that no terminal should show")
		}
		if u, err := url.Parse(address); err != nil || strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/device") {
			return started{}, &exit.Error{
				Code: exit.Owner, Message: "the server began to issue an owner's token instead of a client's; nothing was asked of the owner. Tell its operator.",
			}
		}
	}
	return s, nil
}

// link returns the address that the owner opens. verification_uri is the last choice, because on some servers it leads nowhere.
func (s started) link() string {
	link := cmp.Or(s.ApprovalURL, s.CompleteURI, s.AuthorizationURL)
	if link == "" && s.UserCode != "" && s.VerificationURI != "" {
		link = s.VerificationURI + " and enter the code " + s.UserCode
	}
	return link
}

func seconds(n float64, otherwise, most time.Duration) time.Duration {
	if !(n > 0) {
		return otherwise
	}
	return time.Duration(min(n, most.Seconds()) * float64(time.Second))
}

// push sends the selection before the owner is asked (a pushed authorization request, RFC 9126, but as JSON).
func (a *attempt) push(ctx context.Context) (started, error) {
	request := map[string]any{"client_id": a.app.ID, "authorization_details": []selection{a.asked}, "resource": a.server.resource}
	answer, err := a.post(ctx, a.server.PAR, request)
	if refusalOf(err).Code == "invalid_request" { // the reference implementation knows no resource here
		delete(request, "resource")
		answer, err = a.post(ctx, a.server.PAR, request)
	}
	pushed, err := a.readStarted(answer, err)
	if err == nil && pushed.RequestURI == "" {
		err = errors.New("its answer names no request")
	}
	return pushed, err
}

// byAgent pushes the request and polls for its approval. It is the only way that every kind of server offers.
func (a *attempt) byAgent(ctx context.Context) (issued, error) {
	if a.server.AgentConnect == "" {
		return issued{}, errNoWay
	}
	pushed, err := a.push(ctx)
	if err != nil {
		return issued{}, err
	}
	answer, err := a.post(ctx, a.server.AgentConnect, map[string]string{"request_uri": pushed.RequestURI, "client_id": a.app.ID, "client_name": "pdpp-mcp"})
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		refused.text = "" // it may repeat request_uri, which contains the device code
	}
	s, err := a.readStarted(answer, err)
	address := cmp.Or(s.PollURL, s.TokenURL)
	switch {
	case err != nil:
		return issued{}, err
	case address == "":
		return issued{}, errors.New("its answer does not say where to ask for the approval")
	}
	body := struct {
		Code string `json:"polling_code,omitempty"`
	}{s.PollingCode}
	return a.poll(ctx, s, func(ctx context.Context) ([]byte, error) { return a.post(ctx, address, body) })
}

// byDevice uses the device flow (RFC 8628) with a selection. It always sends both resource and authorization_details: without them the
// reference implementation starts to issue an owner's token.
func (a *attempt) byDevice(ctx context.Context) (issued, error) {
	s, err := a.readStarted(a.post(ctx, a.server.Device, url.Values{
		"client_id": {a.app.ID}, "resource": {a.server.provider + "/mcp"}, "authorization_details": {a.detailsText()},
	}))
	switch {
	case err != nil:
		return issued{}, err
	case s.DeviceCode == "":
		return issued{}, errors.New("its answer holds no device code")
	}
	form := url.Values{"grant_type": {deviceGrant}, "device_code": {s.DeviceCode}, "client_id": {a.app.ID}}
	return a.poll(ctx, s, func(ctx context.Context) ([]byte, error) { return a.post(ctx, a.server.Token, form) })
}

// byCode pushes the request, and asks the owner to copy the code that the page shows after the approval.
func (a *attempt) byCode(ctx context.Context) (issued, error) {
	if a.Ask == nil {
		return issued{}, errNoWay
	}
	pushed, err := a.push(ctx)
	if err != nil {
		return issued{}, err
	}
	page, err := SecureURL(pushed.AuthorizationURL)
	if err != nil {
		return issued{}, errNoWay
	}
	timeout := seconds(pushed.ExpiresIn, defaultApprovalTime, longestApprovalTime)
	a.show(pushed.AuthorizationURL, a.aboutWait(timeout)+"\nThe page then shows a code that begins with cex_. Enter it here:")
	asking, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	code, err := a.Ask(asking)
	switch {
	case ctx.Err() != nil:
		return issued{}, a.stopped(beforeItCameBack)
	case errors.Is(err, context.DeadlineExceeded):
		return issued{}, ended("expired_token", "")
	case err != nil:
		return issued{}, err
	}
	return take(a.post(context.WithoutCancel(ctx), origin(page)+"/consent/exchange", map[string]string{"code": code}))
}

// poll shows the link and calls ask until the owner has decided. It asks again after a network error or an answer that is not JSON.
func (a *attempt) poll(ctx context.Context, s started, ask func(context.Context) ([]byte, error)) (issued, error) {
	link := s.link()
	if link == "" {
		return issued{}, errors.New("its answer has no address for the owner")
	}
	timeout := seconds(s.ExpiresIn, defaultApprovalTime, longestApprovalTime)
	interval := max(seconds(max(s.Interval, s.IntervalMS/1000), defaultPollInterval, longestPollInterval), time.Second)
	a.show(link, a.aboutWait(timeout))
	begin := a.Now()
	var last error
	for a.Now().Sub(begin) < timeout {
		if a.Wait(ctx, interval) != nil {
			return a.askOnceMore(ctx, interval, ask)
		}
		var t issued
		t, last = decision(ask(ctx))
		switch {
		case !errors.Is(last, errPending) && !errors.Is(last, errDecisionUnknown):
			return t, last
		case ctx.Err() != nil:
			return a.askOnceMore(ctx, interval, ask)
		case errors.Is(last, errTooSoon):
			interval = min(interval+defaultPollInterval, longestPollInterval)
		}
	}
	if errors.Is(last, errDecisionUnknown) {
		return issued{}, fmt.Errorf("%w. What was approved %s", last, revokeIt)
	}
	return issued{}, ended("expired_token", "")
}

func (a *attempt) show(link, about string) {
	a.Say("Open this address in the browser where you are signed in as the owner, and approve:\n\n  %s\n", link)
	a.Draw(link, about+"\n")
	a.Say("%s", about)
}

// Results of a poll that brought no decision.
var (
	errPending         = errors.New("the owner has not decided")
	errTooSoon         = fmt.Errorf("%w, and the server was asked too soon", errPending)
	errDecisionUnknown = errors.New("it did not say in time whether the owner approved")
)

// decision reads the answer to a poll. It returns a token, one of the errors above, or the error with which the wait ends.
func decision(answer []byte, err error) (issued, error) {
	refused := refusalOf(err)
	switch {
	case err == nil && json.Valid(answer):
		return take(answer, nil)
	case err == nil:
		err = errNoDocument
	case refused.Code == "" || refused.Status >= 500 || refused.Status == http.StatusTooManyRequests:
	case refused.Code == "authorization_pending":
		return issued{}, errPending
	case refused.Code == "slow_down":
		return issued{}, errTooSoon
	default:
		return issued{}, ended(refused.Code, refused.Error())
	}
	return issued{}, fmt.Errorf("%w (%w)", errDecisionUnknown, err)
}

// askOnceMore polls once more after the program was stopped, so that Connect revokes a grant that was approved by then.
func (a *attempt) askOnceMore(ctx context.Context, interval time.Duration, ask func(context.Context) ([]byte, error)) (issued, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastQuestionTime)
	defer cancel()
	a.Say("%s", "Stopped. Asking once more whether the owner approved.")
	t, err := decision(ask(ctx))
	if errors.Is(err, errTooSoon) && a.Wait(ctx, interval) == nil {
		t, err = decision(ask(ctx))
	}
	switch {
	case errors.Is(err, errPending):
		err = a.stopped("before the owner decided. Nothing is granted yet. What is approved on the open page from now on")
	case errors.Is(err, errDecisionUnknown):
		err = a.stopped("and " + err.Error() + ". What was approved")
	}
	return t, err
}

// stopped returns the error of a program that was stopped while the owner could approve. It says which grant may remain.
func (a *attempt) stopped(how string) error {
	return &transport.StoppedError{Message: "connecting to " + a.server.Issuer + " was stopped " + how + " " + revokeIt + "."}
}

// aboutWait returns help for the owner during the wait. The approval page may show errors that no poll reports.
func (a *attempt) aboutWait(timeout time.Duration) string {
	return "Waiting for the approval, for " + spoken(timeout) + ".\n" +
		"If the page says that an instance does not exist, or asks for exactly one eligible instance, stop this (Ctrl-C) and run it again" +
		" with --connection ID for each that it may read. The owner sees the ids at " + strings.TrimRight(a.server.Issuer, "/") + "/_ref/connections."
}

// spoken returns a duration in minutes, if it is a few seconds less or more than some whole ones, or else in seconds. The server counts the
// seconds from when it made its answer.
func spoken(d time.Duration) string {
	if near := d.Round(10 * time.Second); near > time.Minute && near%time.Minute == 0 {
		return fmt.Sprintf("%d minutes", near/time.Minute)
	}
	return fmt.Sprintf("%.0f seconds", d.Seconds())
}

// ended returns the error of a wait that ended without a token. code is that of the answer; detail is what to quote of it.
func ended(code, detail string) error {
	switch code {
	case "access_denied":
		return exit.NotReadyError("the owner denied the request; nothing was granted.")
	case "expired_token":
		return exit.NotReadyError("nobody approved in time, or the approval came when the request was already over: then it was revoked. Run the command again.")
	}
	return exit.NotReadyError("the request to the owner ended (" + detail + "). Run the command again.")
}
