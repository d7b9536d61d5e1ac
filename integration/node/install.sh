# Sourced by scripts/clients, hosts, newcomer, conformance and page, from the root of the repository: installs what
# package.json beside this file pins into a node_modules of its own, and leaves the path of Node 24 in $node. Nothing is installed globally.
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
	echo "needs node 20 or newer, and npm, to install Node 24 and the clients. On Debian: apt-get install -y nodejs npm" >&2
	exit 69
fi
if ! cmp -s integration/node/package.json integration/node/node_modules/.installed; then
	echo "installing the clients below integration/node"
	(cd integration/node && timeout 600 npm install --no-package-lock --no-audit --no-fund --loglevel=error)
	cp integration/node/package.json integration/node/node_modules/.installed
fi
node=$PWD/integration/node/node_modules/.bin/node
"$node" --version >/dev/null || {
	echo "Node 24 did not install: npm must run the install script of the package node" >&2
	exit 69
}
if command -v go >/dev/null; then # else what is there is tested
	go build -trimpath -o bin/pdpp-mcp .
fi
