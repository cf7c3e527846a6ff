# Gloss: `make help` lists the targets.

PREFIX ?= /usr
DESTDIR ?=
ENTRIES ?= 200000
FUZZ_SECONDS ?= 60
# Further arguments for the build of `make test`.
BUILD_FLAGS ?=

PROGRAMS := glossd glossctl gloss-dictionary gloss-sql gloss-receiver
RELEASE := .build/release
DOCS := .build/docs
# Holds the C++ runtime as archives, so that it becomes part of the programs: loading it takes a fifth of the start of glossctl.
CXX_RUNTIME := .build/cxx-runtime
# Types are made by calls of their functions, not by their names, for which Swift's runtime searches thousands of conformances:
# a fifth of the start of glossctl.
BY_CALLS := -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
# Relative addresses are packed, which glibc has read since 2.36: a megabyte less to go through at the start of a program.
LINKING := -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs
SWIFT_RELEASE := swift build -c release --static-swift-stdlib --disable-local-rpath -Xlinker "-L$(CURDIR)/$(CXX_RUNTIME)" $(BY_CALLS) $(LINKING)
# The suites that run as long as GLOSS_FUZZ_SECONDS says (Tests/TestSupport/FuzzBudget.swift).
FUZZED = $(shell grep -rlF FuzzBudget. --include='*Tests.swift' Tests | \
	xargs sed -nE 's/^(@Suite.*)?struct ([A-Za-z]+Tests).*/\2/p' | paste -sd '|')

ifneq ($(words x$(DESTDIR)$(PREFIX)),1)
$(error DESTDIR and PREFIX must have no spaces)
endif

.DEFAULT_GOAL := help
.PHONY: help demo build test integration lint format check fuzz bench release docs install uninstall clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## Install packages, build, and demonstrate Gloss on a real journal
	@.make/packages demo
	@$(MAKE) --no-print-directory release
	@.make/demo

build: ## Build for debugging
	@.make/packages build
	swift build

test: ## Run all tests, with the real journald, SQLite, HTTP and systemd
	@.make/packages test
	@.make/schemathesis
	@.make/promtool
	swift build --build-tests $(BUILD_FLAGS)
	@.make/tests

integration: ## Run only the tests that run the built programs
	@.make/packages test
	swift build --build-tests
	@.make/tests --filter IntegrationTests

lint: ## Check formatting and import directions
	@.make/packages build
	swift format lint --strict --parallel --recursive Package.swift Sources Tests
	swift build --build-tests --explicit-target-dependency-import-check error

format: ## Format the sources
	swift format --in-place --parallel --recursive Package.swift Sources Tests

check: lint test ## Run everything that a change must pass: lint, warnings as errors, tests

fuzz: ## Test with random, mutated and damaged input (FUZZ_SECONDS=600 sets the time for each test)
	@.make/packages test
	swift build --build-tests
	@GLOSS_FUZZ_SECONDS=$(FUZZ_SECONDS) .make/tests --filter '\.($(FUZZED))/'

bench: ## Measure speed and memory, compared with journalctl, jq and sqlite3 (ENTRIES=1000000 for large journals)
	@.make/packages bench
	@$(MAKE) --no-print-directory release
	@$(SWIFT_RELEASE) --product gloss-bench
	@$(SWIFT_RELEASE) --product gloss-enumerate
	@$(RELEASE)/gloss-bench --entries $(ENTRIES)

release: ## Build the programs; they run without a Swift installation
	@.make/packages build
	@mkdir -p $(CXX_RUNTIME)
	@ln -sf "$$(clang -print-file-name=libstdc++.a)" $(CXX_RUNTIME)/libstdc++.a
	@ln -sf "$$(clang -print-file-name=libgcc_eh.a)" $(CXX_RUNTIME)/libgcc_s.a
	@echo "Building the release (ten to twenty minutes the first time) ..."
	@for program in $(PROGRAMS); do $(SWIFT_RELEASE) --product "$$program" || exit; done

docs: ## Generate manual pages and shell completions in .build/docs
	@.make/packages build
	swift package generate-manual --configuration debug --multi-page
	@.make/docs

MAN := $(DESTDIR)$(PREFIX)/share/man/man1
BASH_COMPLETIONS := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
# Debian's zsh looks into different folders of /usr and /usr/local.
ZSH_COMPLETIONS := $(DESTDIR)$(PREFIX)/share/zsh/$(if $(filter /usr /usr/,$(PREFIX)),vendor-completions,site-functions)
FISH_COMPLETIONS := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

install: ## Install what `make release docs` built: make install DESTDIR=... PREFIX=...
	@test -x $(RELEASE)/glossd || { echo "Nothing to install yet: run 'make release docs' first." >&2; exit 1; }
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)/etc/gloss/definitions
	install -s -m 0755 $(PROGRAMS:%=$(RELEASE)/%) $(DESTDIR)$(PREFIX)/bin
	sed 's,/usr/,$(PREFIX)/,g' systemd/glossd.service >$(DESTDIR)$(PREFIX)/lib/systemd/system/glossd.service
	chmod 0644 $(DESTDIR)$(PREFIX)/lib/systemd/system/glossd.service
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/catalog
	sed 's,/usr/,$(PREFIX)/,g' systemd/gloss.catalog >$(DESTDIR)$(PREFIX)/lib/systemd/catalog/gloss.catalog
	chmod 0644 $(DESTDIR)$(PREFIX)/lib/systemd/catalog/gloss.catalog
	find README.md LICENSE docs config -type f -exec install -D -m 0644 {} $(DESTDIR)$(PREFIX)/share/doc/gloss/{} \;
	test -e $(DESTDIR)/etc/gloss/gloss.yaml || install -m 0644 config/gloss.yaml $(DESTDIR)/etc/gloss/gloss.yaml
	test -n "$$(ls $(DESTDIR)/etc/gloss/definitions)" || \
		install -m 0644 config/definitions/*.md $(DESTDIR)/etc/gloss/definitions
	@if test -d $(DOCS); then \
		install -d $(MAN) $(BASH_COMPLETIONS) $(ZSH_COMPLETIONS) $(FISH_COMPLETIONS) && \
		install -m 0644 $(DOCS)/man1/* $(MAN) && \
		install -m 0644 $(DOCS)/bash/* $(BASH_COMPLETIONS) && \
		install -m 0644 $(DOCS)/zsh/* $(ZSH_COMPLETIONS) && \
		install -m 0644 $(DOCS)/fish/* $(FISH_COMPLETIONS); \
	else \
		echo "Manual pages and completions are not installed: run 'make docs' first." >&2; \
	fi

uninstall: ## Remove what `make install` installed; keep settings, definitions and stored events
	@! { test -z "$(DESTDIR)" && systemctl is-active --quiet glossd 2>/dev/null; } || \
		{ echo "glossd is running: systemctl disable --now glossd, then try again." >&2; exit 1; }
	rm -f $(PROGRAMS:%=$(DESTDIR)$(PREFIX)/bin/%) $(DESTDIR)$(PREFIX)/lib/systemd/system/glossd.service
	rm -f $(DESTDIR)$(PREFIX)/lib/systemd/catalog/gloss.catalog
	rm -f $(MAN)/glossctl*.1 $(MAN)/glossd*.1 $(MAN)/gloss-receiver*.1
	rm -f $(PROGRAMS:%=$(BASH_COMPLETIONS)/%) $(PROGRAMS:%=$(ZSH_COMPLETIONS)/_%) $(PROGRAMS:%=$(FISH_COMPLETIONS)/%.fish)
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/gloss
	@echo "Kept: $(DESTDIR)/etc/gloss (settings, definitions) and $(DESTDIR)/var/lib/gloss (stored events)."

clean: ## Remove everything that was built
	rm -rf .build
