# make alone is lint and test. Tools are pinned here and run through the Go toolchain, so that go.mod stays short.
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOVULNCHECK   := golang.org/x/vuln/cmd/govulncheck@v1.1.4
GOSEC         := github.com/securego/gosec/v2/cmd/gosec@v2.22.10
FUZZTIME      ?= 10s

.PHONY: all test race lint audit fuzz bench golden demo cover clients conformance requirements build clean

all: lint test

build:
	go build -trimpath -o bin/pdpp-mcp .

test:
	go test ./...

race:
	go test -race -shuffle=on -count=3 ./...

lint:
	go vet ./...
	go run $(GOLANGCI_LINT) run ./...

# Known vulnerabilities, and mistakes that gosec knows. What gosec takes wrongly for one says so where it stands, with the
# reason. Fails, and says so, where the vulnerability database is out of reach: what was not checked is not clean.
audit:
	go run $(GOSEC) -quiet ./...
	@GOVULNCHECK=$(GOVULNCHECK) scripts/audit

# Every fuzz target for FUZZTIME, two at a time.
fuzz:
	FUZZTIME=$(FUZZTIME) scripts/fuzz

bench:
	go test -run '^$$' -bench . -benchmem ./...

# Rewrites golden files; read the difference before committing it.
golden:
	go test . ./tools/... ./transport/clients -update

demo:
	go run . demo

cover:
	go test -coverprofile=cover.out -coverpkg=./... ./...
	go tool cover -func=cover.out | tail -n 1

# Real clients from npm against the built binary; installs Node 24 and the clients below integration/node.
clients: build
	scripts/clients

# The official conformance suite against the built binary, both protocol eras.
conformance: build
	scripts/conformance

# Prints the ids of the requirements that no test names; needs the specification beside the repository.
requirements:
	scripts/requirements

clean:
	rm -rf bin dist cover.out integration/node/node_modules
