# The front door: every everyday task is one target. `make help` lists them.

# The binary needs no C library. Only the race detector asks for a C compiler.
export CGO_ENABLED = 0

# A checkout is not required: an unpacked archive calls itself dev.
version = $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# What git tracks or would track; wildcard drops the files that are deleted but not yet committed.
go_files = $(wildcard $(shell git ls-files -co --exclude-standard '*.go' 2>/dev/null || find cmd internal -name '*.go'))

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## build, then run a demo desk with sample data, no outside accounts needed
	bin/frontdesk demo

# The version is stamped here, so Go's own stamp, which fails in an unusual checkout, is not needed.
.PHONY: build
build: ## build bin/frontdesk
	go build -trimpath -buildvcs=false -ldflags '-X main.version=$(version)' -o bin/frontdesk ./cmd/frontdesk

# With CI set, a test that finds no PostgreSQL fails instead of being skipped.
.PHONY: test
test: export CI ?= true
test: ## run all tests on SQLite and on PostgreSQL, which is installed if it is missing
	@scripts/need curl
	@scripts/need python3
	scripts/with-postgres go test -timeout 20m -parallel 6 ./... # more than there are cores: most of it is waiting

.PHONY: test-race
test-race: export CI ?= true
test-race: export CGO_ENABLED = 1
test-race: ## run all tests with the race detector (needs a C compiler)
	@scripts/need curl
	@scripts/need python3
	scripts/with-postgres go test -race -timeout 30m ./...

# The soak tag is on, or tests that run rarely would stop compiling unnoticed.
.PHONY: lint
lint: ## check formatting, go vet, staticcheck, and shellcheck where it is installed
	@list=$$(gofmt -l -s $(go_files)) || exit; \
	if [ -n "$$list" ]; then printf 'not formatted, make fmt would help:\n%s\n' "$$list"; exit 1; fi
	go vet -tags soak ./...
	go tool staticcheck -tags soak ./...
	@if command -v shellcheck >/dev/null; then shellcheck scripts/* .ci/run; fi

.PHONY: fmt
fmt: ## format the Go code
	gofmt -w -s $(go_files)

.PHONY: bench
bench: build ## measure SQLite and PostgreSQL side by side, both durable
	scripts/with-postgres --durable go run ./internal/bench

.PHONY: soak
soak: export CI ?= true
soak: ## run the long tests: fuzzing, millions of rows, chaos (up to an hour)
	scripts/with-postgres --durable go test -v -tags soak -run Soak -timeout 60m ./...

.PHONY: clean
clean: ## remove what make build made
	rm -rf bin
