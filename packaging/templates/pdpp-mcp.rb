class PdppMcp < Formula
  desc "{{.about}}"
  homepage "{{.repository}}"
  license "{{.license}}"
{{- range .systems}}

  on_{{.name}} do
{{- range .archives}}
    on_{{.processor}} do
      url "{{.url}}"
      sha256 "{{.sum}}"
    end
{{- end}}
  end
{{- end}}

  def install
    bin.install "pdpp-mcp"
    generate_completions_from_executable(bin/"pdpp-mcp", "completion")
  end

  test do
    assert_equal "pdpp-mcp #{version}", shell_output("#{bin}/pdpp-mcp --version").strip
  end
end
