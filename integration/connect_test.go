package integration

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

var (
	hiddenField = regexp.MustCompile(`name="_csrf" value="([^"]+)"`)
	copiedCode  = regexp.MustCompile(`cex_[A-Za-z0-9]+`)
)

// ownerDecides opens a link as an owner does in a browser, enters the secret and approves or denies. It returns the last page.
func ownerDecides(t *testing.T, link, decision string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	check(t, err)
	browser := &http.Client{Jar: jar}
	page, err := browser.Get(link)
	check(t, err)
	text, err := io.ReadAll(page.Body)
	check(t, err)
	field := hiddenField.FindStringSubmatch(string(text))
	if field == nil {
		t.Fatalf("no form at %s: %d %s", link, page.StatusCode, text)
	}
	if c := page.Cookies(); len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteLaxMode {
		t.Errorf("the cookie of the page is %v", c)
	}
	shown := page.Request.URL
	form := url.Values{"_csrf": {field[1]}, "owner_secret": {sample.OwnerSecret}, "request_uri": {shown.Query().Get("request_uri")}}
	if code := shown.Query().Get("user_code"); code != "" {
		form.Set("user_code", code)
	}
	request, err := http.NewRequest(http.MethodPost, sample.RSURL+"/consent/"+decision, strings.NewReader(form.Encode()))
	check(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", sample.RSURL)
	answer, err := browser.Do(request)
	check(t, err)
	text, err = io.ReadAll(answer.Body)
	check(t, err)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("decision: %d %s", answer.StatusCode, text)
	}
	return string(text)
}

// asks runs connect with a cache and returns the process, once it waits for the owner, and the link.
func asks(t *testing.T, server, root, way string, args ...string) (waiting *process, link string, typed io.WriteCloser) {
	t.Helper()
	home := t.TempDir()
	opened := filepath.Join(home, "opened")
	script := "#!/bin/sh\necho \"$1\" > " + opened + ".new; mv " + opened + ".new " + opened + "\n"
	check(t, os.WriteFile(filepath.Join(home, "xdg-open"), []byte(script), 0o700))
	cmd := exec.Command(binary, append([]string{"connect", server, "--cache-root", root, "--way", way}, args...)...)
	cmd.Dir, cmd.Env = home, environment(home, "PATH="+home+":"+os.Getenv("PATH"))
	in, typed := io.Pipe()
	if way == "code" {
		cmd.Stdin = in
	}
	p, err := run(cmd)
	check(t, err)
	line, err := p.stdout.find(startTime, func(line string) bool { return strings.HasPrefix(line, "  http") })
	if err != nil {
		<-p.ended
		t.Fatalf("no link: %s%s", p.stdout, p.stderr)
	}
	processesHide(t, strings.TrimSpace(line), opened)
	return p, strings.TrimSpace(line), typed
}

// connects runs connect with a cache, approves as the owner, and returns the output.
func connects(t *testing.T, root, way string, args ...string) string {
	t.Helper()
	p, link, typed := asks(t, sample.RSURL, root, way, args...)
	defer typed.Close()
	page := ownerDecides(t, link, "approve")
	if way == "code" {
		_, err := io.WriteString(typed, copiedCode.FindString(page)+"\n")
		check(t, err)
		check(t, typed.Close())
	}
	<-p.ended
	if p.err != nil {
		t.Fatalf("connect --way %s: %v\n%s%s", way, p.err, p.stdout, p.stderr)
	}
	return p.stdout.String() + p.stderr.String()
}

// processesHide fails if the list of processes, which all users can read, contains the owner's link or the address that was opened.
func processesHide(t *testing.T, link, opened string) {
	t.Helper()
	_, secret, _ := strings.Cut(link, "request_uri=")
	lists, err := filepath.Glob("/proc/[0-9]*/cmdline") // only on Linux
	check(t, err)
	for _, list := range lists {
		if words, err := os.ReadFile(list); err == nil && secret != "" && strings.Contains(string(words), secret) {
			t.Errorf("a process shows the approval link: %q", words)
		}
	}
	if address, err := os.ReadFile(opened); err == nil && strings.Contains(string(address), "?") {
		t.Errorf("the browser is started with %s", address)
	}
}

// From an empty home to the first answer there are three steps: connect, approve, ask. Together they take less than a minute.
func TestFromAnEmptyHomeToTheFirstAnswer(t *testing.T) {
	begin, root := time.Now(), t.TempDir()
	output := connects(t, root, "auto", "--source", "slack")
	got := finish(t, nil, "", "call", "search", "q=the", "limit=1", "--cache-root", root)
	took := time.Since(begin)
	if got.code != 0 || !strings.Contains(got.stdout, "messages") {
		t.Errorf("search: %d %s%s", got.code, got.stdout, got.stderr)
	}
	t.Logf("from an empty home to the first answer, approval included: %s", took.Round(10*time.Millisecond))
	if took > time.Minute {
		t.Errorf("it took %s", took)
	}
	body, err := os.ReadFile(credentialFile(t, root))
	check(t, err)
	token := regexp.MustCompile(`"access_token": "([^"]+)"`).FindStringSubmatch(string(body))[1]
	check(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		info, _ := entry.Info()
		if strings.Contains(string(text), token) && info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("%s has the token with mode %v", path, info.Mode())
		}
		return err
	}))
	if strings.Contains(output+got.stdout+got.stderr, token) {
		t.Error("the token is printed")
	}
}

// S3-R1, D31: connect asks the owner in each way, and other commands read what it stores.
func TestConnectByEachWay(t *testing.T) {
	for _, way := range []string{"agent", "device", "browser", "code"} {
		t.Run(way, func(t *testing.T) {
			if way == "browser" && runtime.GOOS != "linux" {
				t.Skip("a browser is opened by another program there")
			}
			root := t.TempDir()
			output := connects(t, root, way, "--source", "slack", "--stream", "messages", "--since", "2026-03-01")
			for _, wanted := range []string{"Connected. ", "slack", "messages", "since 2026-03-01T00:00:00Z", "readable until", "› schema {}", "1 connector, 1 stream", "setup "} {
				if !strings.Contains(output, wanted) {
					t.Errorf("%q is missing in\n%s", wanted, output)
				}
			}
			body, err := os.ReadFile(credentialFile(t, root))
			check(t, err)
			for _, secret := range regexp.MustCompile(`"(access_token|refresh_token)": "([^"]+)"`).FindAllStringSubmatch(string(body), -1) {
				if strings.Contains(output, secret[2]) {
					t.Errorf("it prints the %s", secret[1])
				}
			}
			if refreshes := strings.Contains(string(body), `"refresh_token"`); refreshes != (way == "browser") {
				t.Errorf("refresh: %v", refreshes)
			}
			got := finish(t, nil, "", "call", "search", "q=the", "limit=1", "--provider-url", sample.RSURL, "--cache-root", root)
			if got.code != 0 || !strings.Contains(got.stdout, "messages") {
				t.Errorf("search: %d %s%s", got.code, got.stdout, got.stderr)
			}
		})
	}
}

// Several grants of one server are stored together and read as one. A new grant with the same name revokes the previous one, and
// disconnect revokes and deletes.
func TestSeveralConnections(t *testing.T) {
	root := t.TempDir()
	connects(t, root, "auto", "--source", "slack")
	connects(t, root, "auto", "--source", "gmail", "--connection", "cin_mail_work", "--connection", "cin_mail_personal")
	both := finish(t, nil, "", "call", "schema", "--provider-url", sample.RSURL, "--cache-root", root)
	if both.code != 0 || !strings.Contains(both.stdout, "slack") || !strings.Contains(both.stdout, "cin_mail_personal") {
		t.Errorf("both: %d %s%s", both.code, both.stdout, both.stderr)
	}
	only := finish(t, nil, "", "call", "schema", "--cache-root", root, "--only", "gmail") // the only provider with stored grants
	if only.code != 0 || strings.Contains(only.stdout, "slack") {
		t.Errorf("only mail: %d %s%s", only.code, only.stdout, only.stderr)
	}
	well := finish(t, nil, "", "doctor", "--cache-root", root, "--json")
	if well.code != 0 || strings.Count(well.stdout, `"check": "credential"`) != 2 || strings.Count(well.stdout, `"check": "token"`) != 2 {
		t.Errorf("doctor: %d %s%s", well.code, well.stdout, well.stderr)
	}
	before, err := os.ReadFile(credentialFile(t, root))
	check(t, err)
	if output := connects(t, root, "auto", "--source", "slack"); !strings.Contains(output, "that it replaces was revoked") {
		t.Error(output)
	}
	old := t.TempDir()
	check(t, os.Mkdir(filepath.Join(old, "clients"), 0o700))
	check(t, os.WriteFile(filepath.Join(old, "clients", filepath.Base(credentialFile(t, root))), before, 0o600))
	if got := finish(t, nil, "", "call", "schema", "--provider-url", sample.RSURL, "--cache-root", old); got.code != 78 {
		t.Errorf("the old grant: %d %s%s", got.code, got.stdout, got.stderr)
	}
	list := finish(t, nil, "", "connections", "--cache-root", root)
	if list.code != 0 || strings.Count(list.stdout, sample.RSURL+", ") != 2 || strings.Count(list.stdout, "last used 20") != 2 {
		t.Errorf("connections: %d %s%s", list.code, list.stdout, list.stderr)
	}
	if got := finish(t, nil, "", "disconnect", sample.RSURL, "--cache-root", root); got.code != 64 || !strings.Contains(got.stderr, "--name") {
		t.Errorf("disconnect without a name: %d %s", got.code, got.stderr)
	}
	for _, name := range []string{"gmail", "default"} {
		if got := finish(t, nil, "", "disconnect", sample.RSURL, "--name", name, "--cache-root", root); got.code != 0 {
			t.Errorf("disconnect: %d %s", got.code, got.stderr)
		}
	}
	if got := finish(t, nil, "", "call", "schema", "--provider-url", sample.RSURL, "--cache-root", root); got.code != 78 {
		t.Errorf("after all: %d %s%s", got.code, got.stdout, got.stderr)
	}
}
