# make alone is lint and test. Tools are pinned here and run through the Go toolchain, so that go.mod stays short.
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOVULNCHECK   := golang.org/x/vuln/cmd/govulncheck@v1.1.4
BENCHSTAT     := golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
GREMLINS      := github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0
GOSEC         := github.com/securego/gosec/v2/cmd/gosec@v2.22.10
FUZZTIME      ?= 10s
# How long the load and the soak last, and how many callers the load has.
LOAD          ?= 60s
CLIENTS       ?= 1000
SOAK          ?= 10m
# How long make leak lasts.
LEAK          ?= 30s
# What make bench runs, a regular expression, and in how many records it searches.
BENCH         ?= .
RECORDS       ?= 100000
# What make load measures; its flags are listed by: go run ./integration/load -help
LOADFLAGS     ?=
# What make mutants changes, and further flags of gremlins unleash.
PACKAGE       ?= ./middleware
MUTANTFLAGS   ?= --invert-logical --timeout-coefficient 100
# What make recall measures.
FOLDER        ?=
PART          ?=
RS            ?=
WORST         ?= 0
LEAST         ?= 0
# What a release is called: its git tag without v, or where there is none the commit; and the time that its files show.
VERSION       ?= $(shell git describe --tags --match 'v[0-9]*' 2>/dev/null | sed 's/^v//' | grep . || echo "0.0.0-g$$(git rev-parse --short HEAD)")
DATE          ?= $(shell git log -1 --format=%ct)

.PHONY: all test race lint audit fuzz bench benchstat golden docs demo cover clients hosts newcomer own-files conformance deploy-check page rolling chaos load recall load-clients soak leak requirements mutants build release release-check clean

all: lint test

build:
	go build -trimpath -o bin/pdpp-mcp .

test:
	go test ./...

# Packages that start programs once, which is slow under the race detector, and all others twice.
race:
	go test -race -shuffle=on -count=2 -timeout 20m $$(go list ./... | grep -v -e 'pdpp-mcp$$' -e '/integration$$' -e '/packaging$$')
	go test -race -shuffle=on -timeout 20m . ./integration ./packaging

lint:
	go vet -tags chaos ./...
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
	RECORDS=$(RECORDS) go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

# The benchmarks of this folder beside those of BASE, a git ref; see scripts/benchstat for what else can be set, such as
# BENCH=Call.
benchstat:
	@BENCHSTAT=$(BENCHSTAT) BASE="$(BASE)" scripts/benchstat

# Rewrites golden files; read the difference before committing it.
golden:
	go test . ./packaging ./tools ./tools/render ./internal/clients ./internal/embedded/sample -update

# Rewrites what pages repeat from the code: the error codes, the tour's output and the install links.
docs:
	go test ./integration ./packaging -run Page -update

demo:
	go run . demo

cover:
	go test -coverprofile=cover.out -coverpkg=./... ./...
	go tool cover -func=cover.out | tail -n 1

# Real clients from npm against the built binary; installs Node 24 and the clients below integration/node.
clients: build
	scripts/clients

# Claude Code, Gemini CLI and Codex with what setup writes and prints for them; installs them below integration/node/hosts.
hosts: build
	scripts/hosts

# What the README tells a newcomer, in a fresh clone and a home of its own.
newcomer:
	scripts/newcomer

# A million JSON lines and 500 MB of CSV, read by the built binary as a person's own; docs/data.md shows the figures.
own-files:
	OWN_FILES=1 go test ./integration -run TestOwnFilesAtScale -count=1 -timeout 60m -v

# The official conformance suite against the built binary, both protocol eras.
conformance: build
	scripts/conformance

# The page for people in a real Chromium, with axe-core; screenshots go to dist/screenshots. Installs Chromium on Debian.
page: build
	scripts/page

# nginx, HAProxy and systemd read deploy/; installs the first two from Debian's packages where they are missing.
deploy-check:
	scripts/deploy-check

# Restarts three replicas behind nginx and behind HAProxy under load, and kills one; sends guesses with forged headers through both.
rolling:
	scripts/deploy-check install
	ROLLING=1 PATH="$$PATH:/usr/sbin" go test ./integration -run 'TestRollingRestart|TestGuessesThroughAProxy|TestATokenRequest' -count=1 -timeout 300s -v

# Every fault to every tool, against the built binary; holds the table of docs/reliability.md to what it saw.
# UPDATE=-update rewrites the table.
chaos:
	go test -tags chaos -count=1 -parallel 8 -timeout 8m ./integration/chaos $(UPDATE)

# What a call costs beside a bare forwarder and the MCP library alone, in some three minutes; docs/performance.md shows what it
# prints. One call alone: make load LOADFLAGS="-only search"
load:
	go run ./integration/load $(LOADFLAGS)

# How well questions find their evidence: those of FOLDER (streams/*.jsonl, questions.jsonl), or of the sample year. PART asks only
# those of a part; RS=all-words puts the adapter in front of a resource server that demands every word; WORST prints so many questions
# that found nothing. It fails if fewer than LEAST per cent find evidence among ten hits, less two points.
recall:
	go run ./integration/recall -folder "$(FOLDER)" -part "$(PART)" -rs "$(RS)" -worst $(WORST) -least $(LEAST)

# CLIENTS callers at a time for LOAD, all of them answered, and how long that took.
load-clients:
	LOAD=$(LOAD) CLIENTS=$(CLIENTS) go test -tags chaos -count=1 -v -run TestLoad -timeout 15m ./integration/chaos

# Tokens that come and go for SOAK, while memory stays flat.
soak:
	SOAK=$(SOAK) go test -tags chaos -count=1 -v -run TestSoak -timeout 2h ./integration/chaos

# Changes one thing at a time in PACKAGE and the packages below it, and names as LIVED the changes that its tests did not see.
mutants:
	go run $(GREMLINS) unleash $(MUTANTFLAGS) $(PACKAGE)

# 64 callers of 128 grants, hostile package members among them, for LEAK: no byte of one reaches another.
leak:
	LEAK=$(LEAK) go test -count=1 -v -run TestNothingLeaksBetweenManyCallers -timeout 10m ./transport

# Prints the ids of the requirements that no test names; needs the specification beside the repository.
requirements:
	scripts/requirements

# Every package of a release in dist/, from one version: see docs/install.md.
release:
	go run ./packaging -version "$(VERSION)" -date "$(DATE)" -out dist

# Two releases from two folders are the same bytes, and each package is taken by the tool that knows it. Some ten minutes.
release-check:
	scripts/release-check

clean:
	rm -rf bin dist cover.out integration/node/node_modules integration/node/hosts/node_modules
