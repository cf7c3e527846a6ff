# Gloss: `make help` lists what there is to do.

PREFIX ?= /usr
DESTDIR ?=
ENTRIES ?= 200000
FUZZ_SECONDS ?= 60

RELEASE := .build/release
SWIFT_RELEASE := swift build -c release --static-swift-stdlib
# The suites that go on as long as they are told to (Tests/TestSupport/FuzzBudget.swift).
FUZZED = $(shell grep -rlF FuzzBudget. --include='*Tests.swift' Tests | \
	xargs sed -nE 's/^(@Suite.*)?struct ([A-Za-z]+Tests).*/\2/p' | paste -sd '|')

.DEFAULT_GOAL := help
.PHONY: help demo build test integration lint format check fuzz bench release install clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## Set up, build, and show the whole of it on a real journal
	@.make/packages demo
	@$(MAKE) --no-print-directory release
	@.make/demo

build: ## Debug build
	@.make/packages build
	swift build

test: ## Everything that can be tested, on the real parts
	@.make/packages test
	@.make/schemathesis
	swift build --build-tests
	@# One at a time: some tests have real time limits, and 400 others on two cores would starve them.
	@.make/tests --skip IntegrationTests
	@.make/tests --filter IntegrationTests

integration: ## Only the tests that run the built programs
	@.make/packages test
	swift build --build-tests
	@.make/tests --filter IntegrationTests

lint: ## Formatting and import directions
	swift format lint --strict --parallel --recursive Package.swift Sources Tests
	swift build --build-tests --explicit-target-dependency-import-check error

format: ## Put the sources into the house format
	swift format --in-place --parallel --recursive Package.swift Sources Tests

check: lint test ## What a change must pass: lint, warnings as errors, tests

fuzz: ## Parsers, the HTTP client, the journal reader and the store on random, mutated and damaged input (FUZZ_SECONDS=600 for each test)
	swift build --build-tests
	@GLOSS_FUZZ_SECONDS=$(FUZZ_SECONDS) .make/tests --filter '\.($(FUZZED))/'

bench: ## Speed and memory beside journalctl (ENTRIES=1000000 for the large journal)
	@.make/packages test
	@$(MAKE) --no-print-directory release
	@$(SWIFT_RELEASE) --product gloss-bench
	@$(SWIFT_RELEASE) --product gloss-enumerate
	@$(RELEASE)/gloss-bench --entries $(ENTRIES)

release: ## The programs, without any need of Swift where they run
	@echo "Building the release (about ten minutes the first time) ..."
	@$(SWIFT_RELEASE) --product glossd
	@$(SWIFT_RELEASE) --product glossctl
	@$(SWIFT_RELEASE) --product gloss-dictionary
	@$(SWIFT_RELEASE) --product gloss-receiver

install: ## Install what `make release` built: make install DESTDIR=...
	@test -x $(RELEASE)/glossd || { echo "Nothing to install yet: run 'make release' first." >&2; exit 1; }
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)/etc/gloss/definitions \
		$(DESTDIR)$(PREFIX)/share/doc/gloss/docs
	install -s -m 0755 $(RELEASE)/glossd $(RELEASE)/glossctl $(RELEASE)/gloss-dictionary \
		$(RELEASE)/gloss-receiver $(DESTDIR)$(PREFIX)/bin
	sed 's,/usr/,$(PREFIX)/,g' systemd/glossd.service >$(DESTDIR)$(PREFIX)/lib/systemd/system/glossd.service
	chmod 0644 $(DESTDIR)$(PREFIX)/lib/systemd/system/glossd.service
	install -m 0644 README.md $(DESTDIR)$(PREFIX)/share/doc/gloss
	install -m 0644 docs/*.md $(DESTDIR)$(PREFIX)/share/doc/gloss/docs
	test -e $(DESTDIR)/etc/gloss/gloss.yaml || install -m 0644 config/gloss.yaml $(DESTDIR)/etc/gloss/gloss.yaml
	test -n "$$(ls $(DESTDIR)/etc/gloss/definitions)" || \
		install -m 0644 config/definitions/*.md $(DESTDIR)/etc/gloss/definitions

clean: ## Remove what was built
	rm -rf .build
