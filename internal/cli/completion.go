package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// wordsOfBash replaces the one function of the package bash-completion that cobra's script needs, if that package is not loaded. It splits
// the line up to the cursor into words. The script joins them again, so quotes stay as they are.
const wordsOfBash = `# bash completion of pdpp-mcp. To load it now: source <(pdpp-mcp completion bash)
if ! declare -F _get_comp_words_by_ref >/dev/null; then
	_get_comp_words_by_ref() {
		local line=${COMP_LINE:0:COMP_POINT}
		read -ra words <<<"$line"
		if [[ $line == *[[:space:]] ]]; then words+=(''); fi
		cword=$((${#words[@]} - 1))
		cur=${words[cword]} prev=${words[cword-1]}
	}
fi
`

func newCompletion(app App) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use: "completion <shell>", Args: takes(1, 1), ValidArgs: shells, Example: "source <(pdpp-mcp completion bash)",
		Short: "Print a script that completes commands in a shell.",
		Long:  "Print a script that completes commands in a shell: " + strings.Join(shells, ", ") + ".",
		RunE: func(c *cobra.Command, words []string) error {
			switch words[0] {
			case "bash":
				fmt.Fprint(app.Out, wordsOfBash)
				return c.Root().GenBashCompletionV2(app.Out, true)
			case "zsh":
				return c.Root().GenZshCompletion(app.Out)
			case "fish":
				return c.Root().GenFishCompletion(app.Out, true)
			case "powershell":
				return c.Root().GenPowerShellCompletionWithDesc(app.Out)
			}
			return usageError(c, fmt.Sprintf("<shell> must be one of %s but got %q", strings.Join(shells, ", "), words[0]))
		},
	}
}
