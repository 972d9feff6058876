# The front door: every everyday task is one target. `make help` lists them.

# The binary needs no C library. Only the race detector asks for a C compiler.
export CGO_ENABLED = 0

# Without the checkout's path in what is compiled, it is compiled once: for vet, staticcheck, the tests and the binary, in every
# checkout of the machine.
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath

# A checkout is not required: an unpacked archive calls itself dev.
version = $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# What git tracks or would track; wildcard drops the files that are deleted but not yet committed.
go_files = $(wildcard $(shell git ls-files -co --exclude-standard '*.go' 2>/dev/null || find cmd internal -name '*.go'))

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## build, then run a demo desk with sample data, no outside accounts needed
	bin/frontdesk demo

# The version is stamped here, so Go's own stamp, which fails in an unusual checkout, is not needed.
.PHONY: build
build: internal/web/dist/index.html ## build bin/frontdesk with the web app inside
	go build -buildvcs=false -ldflags '-X main.version=$(version)' -o bin/frontdesk ./cmd/frontdesk

# What is shipped has no notes for debuggers, which are a third of the binary. Panics and profiles still name functions and lines.
architectures = amd64 arm64
shipped = $(architectures:%=bin/%/frontdesk)
.PHONY: $(shipped)
$(shipped): bin/%/frontdesk: internal/web/dist/index.html
	GOOS=linux GOARCH=$* go build -buildvcs=false -ldflags '-s -w -X main.version=$(version)' -o $@ ./cmd/frontdesk

# The image's format is Docker's, because the other one has no health check.
images = $(architectures:%=localhost/frontdesk:%)
.PHONY: image
image: image-files ## build the container image for amd64 and arm64, with podman, which is installed if it is missing
	@scripts/need podman
	for architecture in $(architectures); do \
		podman build --quiet --format docker --platform linux/$$architecture --tag localhost/frontdesk:$$architecture . || exit; \
	done
	podman tag localhost/frontdesk:$$(go env GOHOSTARCH) localhost/frontdesk:latest

# The list of both images exists only while it is pushed: some versions of podman can no longer list images beside one.
.PHONY: image-push
image-push: ## push the image for both architectures: TO=docker://registry.example.com/frontdesk:1.0
	@test -n '$(TO)' || { echo 'say where to: make image-push TO=docker://registry.example.com/frontdesk:1.0'; exit 1; }
	@podman manifest rm localhost/frontdesk:pushed >/dev/null 2>&1 || true
	podman manifest create localhost/frontdesk:pushed $(images:%=containers-storage:%)
	podman manifest push --all --rm localhost/frontdesk:pushed '$(TO)'

# The certificates are the public ones, and not those that this machine trusts besides.
.PHONY: image-files
image-files: $(shipped)
	@scripts/need update-ca-certificates ca-certificates
	@rm -rf bin/image && mkdir -p bin/image/volume && mkdir -m 0700 bin/image/volume/data
	@cat /usr/share/ca-certificates/mozilla/*.crt >bin/image/ca-certificates.crt

.PHONY: deb
deb: build $(shipped) ## build the Debian packages for amd64 and arm64
	@scripts/need dpkg-deb dpkg
	@for architecture in $(architectures); do scripts/build-deb $$architecture '$(version)' || exit; done

# make test checks that settings and metrics in these files exist; this asks the programs that the files are for. An exposure of
# over 2.0 is no longer good.
.PHONY: check-deploy
check-deploy: ## check what is in deploy/ and the compose files: schemas, alerts, and how locked down the service is
	@scripts/need promtool prometheus
	@scripts/need systemd-analyze systemd
	go run ./scripts/check-deploy
	promtool check rules deploy/prometheus/alerts.yaml
	cd deploy/prometheus && promtool test rules alerts_test.yaml
	@report=$$(systemd-analyze security --offline=true --threshold=20 --no-pager deploy/systemd/frontdesk.service) || { printf '%s\n' "$$report"; exit 1; }; \
	printf '%s\n' "$$report" | tail -n 1

web_files = $(shell find web/src web/public -type f) web/index.html web/vite.config.ts web/tsconfig.json

internal/web/dist/index.html: web/node_modules/.installed $(web_files)
	rm -rf internal/web/dist/assets
	cd web && npm run --silent build -- --logLevel warn

# npm itself looks at the lock file only; the mark is what make looks at.
web/node_modules/.installed: web/package.json web/package-lock.json web/.npmrc
	@scripts/need npm
	cd web && npm ci --no-progress --loglevel error
	@touch $@

web/tools/node_modules/.installed: web/tools/package.json web/tools/package-lock.json
	@scripts/need npm
	cd web/tools && npm ci --no-progress --loglevel error
	@touch $@

.PHONY: types
types: web/tools/node_modules/.installed ## make the web app's types from the API document
	go run ./cmd/frontdesk openapi >web/tools/openapi.json
	cd web/tools && node_modules/.bin/openapi-typescript openapi.json -o ../src/api/schema.d.ts >/dev/null

.PHONY: texts
texts: web/node_modules/.installed ## collect the web app's texts for translators, in web/src/texts
	cd web && npm run --silent texts >/dev/null

.PHONY: docs
docs: ## make docs/api from the API document and its examples
	go test ./internal/rest -run '^TestReference$$' -count=1 -args -update

# With CI set, a test that finds no PostgreSQL fails instead of being skipped. The tests in the browser come after those in Go: each
# keep the cores busy, and beside each other both take longer than one after the other, until a page is too slow for what it shows for
# some seconds only. First comes what they need: two would disturb each other installing, and Go's tests compile the web app in.
.PHONY: test
test: export CI ?= true
test: test-needs test-web-needs build ## run all tests on SQLite and on PostgreSQL, which is installed if it is missing
	@$(MAKE) --no-print-directory test-go
	@$(MAKE) --no-print-directory test-web

# The packages that take longest begin first, and more run at a time than there are cores: much of it is waiting. Collecting
# garbage less often is a fifth less work, up to where memory might run out; linking without notes for debuggers is a third less.
# What vet would say, make lint says.
.PHONY: test-go
test-go: export GOGC ?= 400
test-go: export GOMEMLIMIT ?= 2GiB
test-go: test-needs
	scripts/in-memory scripts/with-postgres go test -timeout 40m -vet=off -ldflags=-w -p 4 -parallel 10 ./internal/service ./internal/rest ./cmd/frontdesk ./...

# Other programs that tests run. PostgreSQL is scripts/with-postgres's.
.PHONY: test-needs
test-needs:
	@scripts/need curl
	@scripts/need python3
	@scripts/need dovecot dovecot-imapd
	@scripts/need postfix
	@scripts/need pgbouncer

# Each file starts a server and a browser of its own.
.PHONY: test-web
test-web: build test-web-needs ## run the browser tests of the web app, in Chromium, which is installed if it is missing
	scripts/in-memory scripts/browser-tests $(patsubst web/%,%,$(wildcard web/tests/*.test.mjs))

.PHONY: test-web-needs
test-web-needs: web/tools/node_modules/.installed
	@scripts/need chromium-headless-shell || scripts/need chromium

# One test after the other, so that the figures add up.
.PHONY: test-times
test-times: export CI ?= true
test-times: export GOGC ?= 400
test-times: test-needs ## say what each package and each test over a second takes, and who exceeds its budget
	scripts/in-memory scripts/with-postgres go run ./scripts/test-times

.PHONY: mutants
mutants: export CI ?= true
mutants: test-needs ## take guards out of the product, one by one, and say which test notices (hours)
	scripts/in-memory scripts/with-postgres go run ./scripts/mutants

.PHONY: test-race
test-race: export CI ?= true
test-race: export CGO_ENABLED = 1
test-race: test-needs ## run all tests with the race detector (needs a C compiler)
	scripts/with-postgres go test -race -timeout 30m ./...

# What people use is measured, and shown.
bench-web screens: export CHROMIUM ?= /usr/bin/chromium

.PHONY: bench-web
bench-web: build ## measure the inbox in Chromium, of the demo and of a desk with 100,000 requests: how soon it can be used, what it loads, how fast it is
	@scripts/need chromium
	cd web && node bench/inbox.mjs
	cd web && MANY=10000 node --test --test-timeout=600000 --test-name-pattern 'of many' tests/many.test.mjs | grep 'longest frame'

.PHONY: screens
screens: build ## take pictures of the web app in light, in dark and on a phone into bin/screens, and those of the README anew
	@scripts/need chromium
	cd web && SCREENS=../bin/screens README=../docs/screens node --test --test-timeout=600000 tests/screens.test.mjs

# npm waits for its downloads while vet compiles.
.PHONY: lint
lint: export GOGC ?= 400
lint: ## check formatting, go vet, staticcheck, the web app (types, hooks, formatting), and shellcheck where it is installed
	@list=$$(gofmt -l -s $(go_files)) || exit; \
	if [ -n "$$list" ]; then printf 'not formatted, make fmt would help:\n%s\n' "$$list"; exit 1; fi
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target vet web/node_modules/.installed web/tools/node_modules/.installed
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target staticcheck lint-web
	@if command -v shellcheck >/dev/null; then shellcheck $$(find scripts -maxdepth 1 -type f) .ci/run deploy/debian/p*; fi

# The soak tag is on, or tests that run rarely would stop compiling unnoticed.
.PHONY: vet staticcheck
vet:
	go vet -tags soak ./...
staticcheck:
	go tool staticcheck -tags soak ./...

.PHONY: lint-web
lint-web: web/node_modules/.installed
	@cp web/src/api/schema.d.ts web/tools/schema.before.d.ts
	@$(MAKE) --no-print-directory types
	@cmp -s web/src/api/schema.d.ts web/tools/schema.before.d.ts || { echo 'web/src/api/schema.d.ts was behind the API document; make types has just made it anew'; exit 1; }
	@rm -rf web/tools/texts.before && cp -r web/src/texts web/tools/texts.before
	@$(MAKE) --no-print-directory texts
	@diff -r web/src/texts web/tools/texts.before >/dev/null || { echo 'web/src/texts was behind the code; make texts has just collected the texts anew, and German may lack some'; exit 1; }
	cd web && npm run --silent check
	cd web && tools/node_modules/.bin/eslint --config tools/eslint.config.mjs --cache --cache-location tools/node_modules/.cache/ src
	@cd web && tools/node_modules/.bin/prettier --cache --cache-location tools/node_modules/.cache/prettier --log-level warn --check . || { echo 'not formatted, make fmt would help'; exit 1; }

.PHONY: fmt
fmt: web/tools/node_modules/.installed ## format the Go code and the web app
	gofmt -w -s $(go_files)
	cd web && tools/node_modules/.bin/prettier --log-level warn --write .

.PHONY: bench
bench: build ## measure SQLite and PostgreSQL side by side, both durable
	scripts/with-postgres --durable go run ./internal/bench

.PHONY: bench-mixed
bench-mixed: ## run a mixed load of 64 callers on 100,000 requests for ten minutes on each engine: memory, and how long calls take at worst
	scripts/with-postgres --durable go run ./internal/bench -only mixed -requests 100000 $(ARGS)

.PHONY: bench-nodes
bench-nodes: ## create requests on one, two and three nodes of one PostgreSQL, beside SQLite's one
	scripts/with-postgres --durable go run ./internal/bench -only nodes -length 5s $(ARGS)

.PHONY: bench-compare
bench-compare: ## measure what calls cost here beside another commit, in turns: REV=main ARGS='-engine sqlite -calls update'
	scripts/bench-compare $(REV) $(ARGS)

# PostgreSQL is scripts/with-postgres's: it installs one that is missing, and starts one for a moment.
.PHONY: cluster-needs
cluster-needs:
	@scripts/with-postgres true
	@scripts/need patroni
	@scripts/need etcd etcd-server
	@scripts/need haproxy

.PHONY: cluster
cluster: build cluster-needs ## run three nodes on a PostgreSQL cluster with fail-over, for trying and breaking
	scripts/in-memory go run ./internal/chaos -cluster -frontdesk bin/frontdesk

.PHONY: chaos
chaos: cluster-needs ## break things under load for ten minutes, then check that nothing was lost or doubled: ARGS='-minutes 3 -seed 7'
	scripts/in-memory go run ./internal/chaos $(ARGS)

.PHONY: soak
soak: export CI ?= true
soak: ## run the long tests: fuzzing, millions of rows, chaos (up to an hour)
	scripts/with-postgres --durable go test -v -tags soak -run Soak -timeout 60m ./...

.PHONY: clean
clean: ## remove what make build made
	rm -rf bin internal/web/dist/assets internal/web/dist/index.html
