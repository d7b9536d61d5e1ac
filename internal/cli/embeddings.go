package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/embedding"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/semantic"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// embedFlags name an embeddings endpoint.
type embedFlags struct {
	Embed      string   `help:"Search by meaning too, with vectors from this embeddings endpoint in the shape of OpenAI's, such as http://127.0.0.1:11434 of Ollama." env:"PDPP_MCP_EMBED" placeholder:"URL"`
	EmbedModel string   `help:"Model of the embeddings endpoint, such as nomic-embed-text." env:"PDPP_MCP_EMBED_MODEL" placeholder:"NAME"`
	EmbedAllow []string `help:"Send texts to an endpoint on this host, which need not be this machine; can be repeated." env:"PDPP_MCP_EMBED_ALLOW" placeholder:"HOST"`
}

// client returns what asks the endpoint, nil where none is named.
func (f embedFlags) client() (*embedding.Client, error) {
	if f.Embed == "" {
		if f.EmbedModel != "" || len(f.EmbedAllow) > 0 {
			return nil, exit.UsageError("--embed-model and --embed-allow need --embed URL.")
		}
		return nil, nil
	}
	client, err := embedding.New(embedding.Options{URL: f.Embed, Model: f.EmbedModel, Allow: f.EmbedAllow})
	if err != nil {
		return nil, exit.UsageError("--embed, --embed-model: " + err.Error() + ".")
	}
	return client, nil
}

// embedReportEvery is how often the progress of vectors is printed, at most.
const embedReportEvery = 10 * time.Second

// An embedReport prints how the making of vectors goes on.
type embedReport struct {
	out             io.Writer
	now             func() time.Time
	model           string
	begun, reported time.Time
	failure         error
}

func (r *embedReport) progress(p semantic.Progress) {
	switch {
	case p.Err != nil:
		if r.failure == nil || r.failure.Error() != p.Err.Error() {
			fmt.Fprintf(r.out, "pdpp-mcp: %d of %d records have vectors, and it goes on when this passes: %s\n", p.Done, p.Records, embedFailure(p.Err))
		}
	case p.Complete:
		fmt.Fprintf(r.out, "pdpp-mcp: all %d records have vectors of %s, after %s\n", p.Records, r.model, r.now().Sub(r.begun).Round(10*time.Millisecond))
	case r.now().Sub(r.reported) >= embedReportEvery:
		r.reported = r.now()
		fmt.Fprintf(r.out, "pdpp-mcp: %d of %d records have vectors so far\n", p.Done, p.Records)
	}
	r.failure = p.Err
}

// embedFailure says what to do about an endpoint on another machine.
func embedFailure(err error) string {
	if errors.Is(err, embedding.ErrElsewhere) {
		return err.Error() + " with --embed-allow HOST"
	}
	return err.Error()
}
