# Sourced by scripts/hosts, from the root of the repository after ../install.sh: installs the assistants' command-line programs
# that package.json beside this file pins. They are optional: what npm cannot get is left out, and tried again next time.
if ! cmp -s integration/node/hosts/package.json integration/node/hosts/node_modules/.installed; then
	echo "installing the hosts below integration/node/hosts"
	(cd integration/node/hosts && timeout 300 npm install --no-package-lock --no-audit --no-fund --loglevel=error) || true
	if (cd integration/node/hosts/node_modules/.bin 2>/dev/null && [ -e claude ] && [ -e gemini ] && [ -e codex ]); then
		cp integration/node/hosts/package.json integration/node/hosts/node_modules/.installed
	fi
fi
