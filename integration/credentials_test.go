package integration

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// credentialFile returns the only file of a cache.
func credentialFile(t *testing.T, root string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "clients", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0]
}

// S3-1a: a credential that another user may have written, or that is not a regular file, is not used: the provider receives no request,
// and the start does not wait.
func TestACredentialOfAnotherUserIsNotUsed(t *testing.T) {
	outsider := func(t *testing.T, path string) {
		t.Helper()
		if os.Geteuid() != 0 {
			t.Skip("only root can give a file away")
		}
		check(t, os.Lchown(path, 54321, 54321))
	}
	mode := func(path string, mode os.FileMode) func(t *testing.T, root string) {
		return func(t *testing.T, root string) {
			if path == "" {
				check(t, os.Chmod(credentialFile(t, root), mode))
				return
			}
			check(t, os.Chmod(filepath.Join(root, path), mode))
		}
	}
	for name, test := range map[string]struct {
		spoil func(t *testing.T, root string)
		says  string
	}{
		"another user's":                {func(t *testing.T, root string) { outsider(t, credentialFile(t, root)) }, "belongs to another user"},
		"a file that all can write":     {mode("", 0o666), "chmod go-w"},
		"a file that a group can write": {mode("", 0o620), "chmod go-w"},
		"a link to another user's": {func(t *testing.T, root string) {
			path := credentialFile(t, root)
			check(t, os.Rename(path, path+".other"))
			outsider(t, path+".other")
			check(t, os.Symlink(path+".other", path))
		}, "belongs to another user"},
		"another user's folder": {func(t *testing.T, root string) {
			outsider(t, filepath.Join(root, "clients"))
		}, "belongs to another user"},
		"another user's cache":                     {func(t *testing.T, root string) { outsider(t, root) }, "belongs to another user"},
		"a folder in which all can replace it":     {mode("clients", 0o777), "chmod go-w"},
		"a cache in which all can replace folders": {mode(".", 0o777), "chmod go-w"},
		"a cache that a group can write":           {mode(".", 0o770), "chmod go-w"},
		"a pipe": {func(t *testing.T, root string) {
			path := credentialFile(t, root)
			check(t, os.Remove(path))
			check(t, syscall.Mkfifo(path, 0o600))
		}, "not a regular file"},
		"a link to a pipe": {func(t *testing.T, root string) {
			path := credentialFile(t, root)
			check(t, os.Remove(path))
			check(t, syscall.Mkfifo(path+".pipe", 0o600))
			check(t, os.Symlink(path+".pipe", path))
		}, "not a regular file"},
		"a device": {func(t *testing.T, root string) {
			path := credentialFile(t, root)
			check(t, os.Remove(path))
			check(t, os.Symlink("/dev/zero", path))
		}, "not a regular file"},
		"a socket": {func(t *testing.T, root string) {
			path := credentialFile(t, root)
			check(t, os.Remove(path))
			t.Chdir(filepath.Dir(path)) // a socket's path must be short
			listener, err := net.Listen("unix", filepath.Base(path))
			check(t, err)
			t.Cleanup(func() { _ = listener.Close() })
		}, "not a regular file"},
		"a file without an end": {func(t *testing.T, root string) {
			check(t, os.Truncate(credentialFile(t, root), 2<<30))
		}, "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatch(t, sample.RSURL)
			root := cacheFile(t, w.URL, map[string]any{"access_token": sample.ClientToken})
			test.spoil(t, root)
			quote := `{"id":"a/b:c","field":"d","text":"e"}`
			for _, command := range [][]string{{"stdio"}, {"call", "schema"}, {"verify", quote}, {"doctor"}} {
				got := finish(t, nil, "", append(command, "--provider-url", w.URL, "--cache-root", root)...)
				refused := got.code == 78 && got.stdout == "" || command[0] == "doctor" && got.code != 0
				if !refused || !strings.Contains(got.stdout+got.stderr, test.says) {
					t.Errorf("%s: exit %d, stdout %q, stderr: want %q in\n%s", command[0], got.code, got.stdout, test.says, got.stderr)
				}
				if strings.Contains(got.stdout+got.stderr, sample.ClientToken) {
					t.Errorf("%s shows the token", command[0])
				}
			}
			for _, request := range w.requests() {
				if request.isData() || request.path == "/v1/schema" {
					t.Errorf("read %s", request.path)
				}
			}
		})
	}
}

// A credential that others can only read is used with a warning. A folder with the sticky bit protects the files in it.
func TestAReadableCredentialIsUsedWithAWarning(t *testing.T) {
	root := cacheFile(t, sample.RSURL, map[string]any{"access_token": sample.ClientToken})
	check(t, os.Chmod(credentialFile(t, root), 0o640))
	check(t, os.Chmod(root, 0o777|os.ModeSticky))
	got := finish(t, nil, "", "call", "schema", "--provider-url", sample.RSURL, "--cache-root", root)
	if got.code != 0 || !strings.Contains(got.stderr, "(mode 0640): run chmod 600") {
		t.Errorf("exit %d, stderr\n%s", got.code, got.stderr)
	}
}

// A folder that another user planted in a project is not used as a cache, whether or not the person has one.
func TestAPlantedCacheIsNotUsed(t *testing.T) {
	w := newWatch(t, sample.RSURL)
	project := t.TempDir()
	check(t, os.Rename(cacheFile(t, w.URL, map[string]any{"access_token": sample.ClientToken}), filepath.Join(project, ".pdpp")))
	for name, home := range map[string]string{
		"no cache at home": t.TempDir(),
		"an expired credential at home": func() string {
			home := t.TempDir()
			root := cacheFile(t, w.URL, map[string]any{"access_token": "x", "expires_at": "2020-01-01T00:00:00Z"})
			check(t, os.Rename(root, filepath.Join(home, ".pdpp")))
			return home
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			p, err := start(project, []string{"HOME=" + home}, "call", "schema", "--provider-url", w.URL)
			check(t, err)
			<-p.ended
			if code := p.cmd.ProcessState.ExitCode(); code != 78 || len(w.requests()) > 0 {
				t.Errorf("exit %d after %d requests\n%s", code, len(w.requests()), p.stderr)
			}
		})
	}
}

// serve reads its secret and settings from regular files of bounded size that others cannot write, and a pipe does not delay the start.
func TestServeReadsSecretsFromFilesOnly(t *testing.T) {
	dir := t.TempDir()
	pipe, open, huge := filepath.Join(dir, "pipe"), filepath.Join(dir, "open"), filepath.Join(dir, "huge")
	check(t, syscall.Mkfifo(pipe, 0o600))
	write(t, open, "hush")
	check(t, os.Chmod(open, 0o646)) // #nosec G302 -- must be refused
	write(t, huge, "hush")
	check(t, os.Truncate(huge, 2<<30))
	for path, says := range map[string]string{
		pipe: "not a regular file", dir: "not a regular file", "/dev/zero": "not a regular file", open: "chmod o-w", huge: "larger than",
	} {
		for _, flag := range []string{"--introspection-client-secret-file", "--config"} {
			got := finish(t, nil, "", "serve", "--listen", "127.0.0.1:0", "--rs-url", sample.RSURL, "--introspection-url", sample.IntrospectionURL,
				"--introspection-client-id", "mcp", flag, path)
			refused := got.code == 64 && got.stdout == "" && strings.Contains(got.stderr, says) && strings.Contains(got.stderr, flag)
			if !refused || strings.Contains(got.stderr, "hush") {
				t.Errorf("%s %s: exit %d, stderr\n%s", flag, path, got.code, got.stderr)
			}
		}
	}
}

// If the secret file has become a pipe, a reload does not wait: the old secret stays, and the log says why.
func TestAReloadDoesNotWaitForAPipe(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	write(t, secret, sample.IntrospectionClientSecret)
	url, p := serve(t, "--rs-url", sample.RSURL, "--introspection-url", sample.IntrospectionURL,
		"--introspection-client-id", sample.IntrospectionClientID, "--introspection-client-secret-file", secret,
		"--audiences", sample.RSURL+","+sample.RSURL+"/mcp")
	check(t, os.Remove(secret))
	check(t, syscall.Mkfifo(secret, 0o600))
	check(t, p.cmd.Process.Signal(syscall.SIGHUP))
	if _, err := p.stderr.find(10*time.Second, func(line string) bool { return strings.Contains(line, "not a regular file") }); err != nil {
		t.Errorf("%v\n%s", err, p.stderr)
	}
	if text := overHTTP(t, url, sample.ClientToken).text("list_streams", args(`{}`)); text == "" {
		t.Error("the old configuration does not serve")
	}
}
