package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/config"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/service"
)

// settings returns the flags and variables of all commands.
func settings() (flags, variables map[string]bool) {
	flags, variables = map[string]bool{"help": true, "version": true}, map[string]bool{}
	for _, command := range (App{}).root(nil).Commands() {
		command.Flags().VisitAll(func(flag *pflag.Flag) {
			flags[flag.Name] = true
			variables[config.Variable(flag)] = true
		})
	}
	return flags, variables
}

// foreign are flags of other programs that our documentation mentions.
var foreign = []string{"stdout", "header", "transport", "scope", "add-mcp", "build", "build-arg", "from", "from-file", "up"}

func TestPagesAndDeploymentsNameOnlyWhatExists(t *testing.T) {
	t.Chdir("../..")
	flags, variables := settings()
	paths := []string{"README.md"}
	for _, pattern := range []string{"docs/*.md", "deploy/*.*", "deploy/*/*", "deploy/Dockerfile"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	named := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile("(?:^|[\\s`(\"])--([a-z][a-z-]*)").FindAllStringSubmatch(string(data), -1) {
			if named++; !flags[match[1]] && !slices.Contains(foreign, match[1]) {
				t.Errorf("%s names --%s, which does not exist", path, match[1])
			}
		}
		for _, variable := range regexp.MustCompile(`\bPDPP_[A-Z_]+\b`).FindAllString(string(data), -1) {
			if named++; !variables[variable] && !credentials.IsOwnerVariable(variable) {
				t.Errorf("%s names %s, which does not exist", path, variable)
			}
		}
	}
	if named < 50 {
		t.Errorf("found %d names; the search found too little", named)
	}
	page, err := os.ReadFile("docs/configure.md")
	if err != nil {
		t.Fatal(err)
	}
	newServe(nil).Flags().VisitAll(func(flag *pflag.Flag) {
		variable := config.Variable(flag)
		if variable == "" != strings.HasPrefix(flag.Name, "no-") {
			t.Errorf("--%s has the variable %q", flag.Name, variable)
		}
		if variable != "" && !regexp.MustCompile("(?m)^\\|.*`--"+flag.Name+"`.*\\|.*`"+variable+"`.*\\|").Match(page) {
			t.Errorf("docs/configure.md has no row for --%s with %s", flag.Name, variable)
		}
	})
}

// configure parses a command line with a configuration file as serve does, without reading the secret.
func configure(t *testing.T, settings string, arguments ...string) HostedConfig {
	t.Helper()
	var values map[string]any
	if err := json.Unmarshal([]byte(settings), &values); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, named := values["introspection-client-secret-file"]; named {
		values["introspection-client-secret-file"] = filepath.Join(dir, "secret")
	}
	data, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"config.json": string(data), "secret": "hush"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, argument := range arguments {
		if strings.HasSuffix(argument, "config.json") {
			arguments[i] = filepath.Join(dir, "config.json")
		}
	}
	var got HostedConfig
	app := App{Out: io.Discard, Err: io.Discard, Getenv: os.Getenv, args: arguments}
	_, err = app.execute(t.Context(), func(_ context.Context, _ *pflag.FlagSet, c *ServeFlags) (err error) {
		got, err = serveConfig(*c, app)
		return err
	})
	if err != nil || got.Name == "" { // it is a setting of serve
		t.Fatalf("%q: %v", arguments, err)
	}
	return got
}

func TestTheExampleConfigurationIsGood(t *testing.T) {
	t.Chdir("../..")
	data, err := os.ReadFile("deploy/config.json")
	if err != nil {
		t.Fatal(err)
	}
	if got := configure(t, string(data), "serve", "--config", "config.json"); got.Public.Origin != "https://mcp.example" ||
		got.Introspection == nil {
		t.Errorf("%+v", got)
	}
}

// decodeStrictly decodes YAML and fails on members that the type does not have.
func decodeStrictly(t *testing.T, decoder *yaml.Decoder, into any) bool {
	t.Helper()
	decoder.KnownFields(true)
	err := decoder.Decode(into)
	if errors.Is(err, io.EOF) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

func TestCompose(t *testing.T) {
	t.Chdir("../..")
	data, err := os.ReadFile("deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Replica  any `yaml:"x-replica"`
		Services map[string]struct {
			Image       string
			Build       map[string]string
			Command     []string
			Environment map[string]string
			Secrets     []string
			ReadOnly    bool     `yaml:"read_only"`
			CapDrop     []string `yaml:"cap_drop"`
			SecurityOpt []string `yaml:"security_opt"`
			MemLimit    string   `yaml:"mem_limit"`
			Restart     string
			Grace       string `yaml:"stop_grace_period"`
			Ports       []string
			Volumes     []string
			DependsOn   []string `yaml:"depends_on"`
		}
		Secrets map[string]map[string]string
	}
	decodeStrictly(t, yaml.NewDecoder(bytes.NewReader(data)), &file)
	for _, name := range file.Services["nginx"].DependsOn {
		replica := file.Services[name]
		if _, err := os.Stat(filepath.Join("deploy", replica.Build["context"], replica.Build["dockerfile"])); err != nil {
			t.Error(err)
		}
		for variable, value := range replica.Environment {
			if variable == "PDPP_MCP_INTROSPECTION_CLIENT_SECRET_FILE" {
				value = "LICENSE" // any file
			}
			t.Setenv(variable, value)
		}
		config := configure(t, `{}`, append(slices.Clone(replica.Command), "--config", "config.json")...)
		if grace, err := time.ParseDuration(replica.Grace); err != nil || grace <= config.DrainDelay+config.DrainTime+service.LastWords {
			t.Errorf("%s is killed after %s, while it drains", name, replica.Grace)
		}
		if !replica.ReadOnly || !slices.Contains(replica.CapDrop, "ALL") {
			t.Errorf("%s is not confined", name)
		}
	}
	if len(file.Services) != 4 {
		t.Errorf("%d services", len(file.Services))
	}
}

// A manifest has the checked parts of every kind of Kubernetes manifest.
type manifest struct {
	Kind     string
	Metadata struct {
		Name, Namespace string
	}
	Data map[string]string
	Spec struct {
		Selector    yaml.Node
		PodSelector struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
		} `yaml:"podSelector"`
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				Grace    int `yaml:"terminationGracePeriodSeconds"`
				Security struct {
					NonRoot bool `yaml:"runAsNonRoot"`
					User    int  `yaml:"runAsUser"`
				} `yaml:"securityContext"`
				Containers []struct {
					Args  []string
					Ports []struct {
						Name string
						Port int `yaml:"containerPort"`
					}
					Security struct {
						ReadOnly   bool `yaml:"readOnlyRootFilesystem"`
						Escalation bool `yaml:"allowPrivilegeEscalation"`
					} `yaml:"securityContext"`
					Ready struct {
						Get struct{ Path, Port string } `yaml:"httpGet"`
					} `yaml:"readinessProbe"`
					Live struct {
						Get struct{ Path, Port string } `yaml:"httpGet"`
					} `yaml:"livenessProbe"`
				}
			}
		}
		Target struct{ Kind, Name string } `yaml:"scaleTargetRef"`
		Least  int                         `yaml:"minReplicas"`
		Up     int                         `yaml:"minAvailable"`
	}
}

// Kubernetes checks the names of fields; this checks that the manifests agree with each other.
func TestKubernetesManifestsAgree(t *testing.T) {
	t.Chdir("../..")
	file, err := os.Open("deploy/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	manifests := map[string]manifest{}
	for decoder := yaml.NewDecoder(file); ; {
		var m manifest
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if m.Metadata.Name != "pdpp-mcp" || m.Metadata.Namespace != "pdpp-mcp" {
			t.Errorf("%s is called %s in %s", m.Kind, m.Metadata.Name, m.Metadata.Namespace)
		}
		manifests[m.Kind] = m
	}
	for _, kind := range []string{"ConfigMap", "ServiceAccount", "Deployment", "Service", "HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy"} {
		if _, there := manifests[kind]; !there {
			t.Errorf("there is no %s", kind)
		}
	}
	pod := manifests["Deployment"].Spec.Template
	container := pod.Spec.Containers[0]
	config := configure(t, manifests["ConfigMap"].Data["config.json"], container.Args...)
	if drain := config.DrainDelay + config.DrainTime + service.LastWords; time.Duration(pod.Spec.Grace)*time.Second <= drain {
		t.Errorf("a pod is killed after %d s, and drains for %s", pod.Spec.Grace, drain)
	}
	if !pod.Spec.Security.NonRoot || pod.Spec.Security.User == 0 || !container.Security.ReadOnly || container.Security.Escalation {
		t.Errorf("the container is not confined: %+v %+v", pod.Spec.Security, container.Security)
	}
	if container.Ready.Get.Path != "/readyz" || container.Live.Get.Path != "/livez" || container.Ready.Get.Port != "admin" ||
		container.Live.Get.Port != "admin" {
		t.Errorf("the probes are %+v and %+v", container.Ready, container.Live)
	}
	for _, port := range container.Ports {
		if want := map[string]string{"http": config.Listen, "admin": config.AdminListen}[port.Name]; want != fmt.Sprintf(":%d", port.Port) {
			t.Errorf("port %s is %d, and the program listens on %q", port.Name, port.Port, want)
		}
	}
	for kind, nested := range map[string]bool{"Deployment": true, "PodDisruptionBudget": true, "Service": false} {
		selector := manifests[kind].Spec.Selector
		var labels map[string]string
		if nested {
			var match struct {
				Labels map[string]string `yaml:"matchLabels"`
			}
			err = selector.Decode(&match)
			labels = match.Labels
		} else {
			err = selector.Decode(&labels)
		}
		if err != nil || labels["app"] == "" || labels["app"] != pod.Metadata.Labels["app"] {
			t.Errorf("%s selects %v, the pods are %v (%v)", kind, labels, pod.Metadata.Labels, err)
		}
	}
	if got := manifests["NetworkPolicy"].Spec.PodSelector.MatchLabels["app"]; got != pod.Metadata.Labels["app"] {
		t.Errorf("the network policy is of %q", got)
	}
	scaler := manifests["HorizontalPodAutoscaler"].Spec
	if scaler.Target.Kind != "Deployment" || scaler.Target.Name != "pdpp-mcp" || scaler.Least <= manifests["PodDisruptionBudget"].Spec.Up {
		t.Errorf("the autoscaler %+v leaves no pod to disrupt", scaler.Target)
	}
}

func TestTheImageRunsAsNobody(t *testing.T) {
	t.Chdir("../..")
	data, err := os.ReadFile("deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, last, _ := strings.Cut(string(data), "\nFROM scratch\n")
	if strings.Contains(last, "\nFROM ") || !regexp.MustCompile(`(?m)^USER [1-9]\d*:[1-9]\d*$`).MatchString(last) || !strings.Contains(last, `ENTRYPOINT ["/pdpp-mcp"]`) {
		t.Errorf("the last stage is\n%s", last)
	}
	if strings.Contains(last, "RUN ") {
		t.Error("nothing can run in an empty image")
	}
}
