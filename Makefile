# `make` lists the targets. Swift, make and git are the only requirements: `setup` installs the rest,
# and costs nothing when nothing is missing. Everything else that a contributor runs is a script in
# Tools; Tools/README.md lists them.

SWIFT ?= swift
# make JOBS=2 ... limits how many compilers run at once.
JOBS ?=
PARALLEL = $(if $(JOBS),-j $(JOBS))
export SWIFT JOBS
# Where `make install` puts the command; DESTDIR goes before it, for package builders.
PREFIX ?= /usr/local
DESTDIR ?=
export PREFIX DESTDIR

TOLLGATE = .build/debug/tollgate
DEMO_NOW = 2026-03-01T12:00:00Z
DEMO_SEED = demo
DEMO_OUT = out/demo

FORMATTED = $(wildcard Package.swift Sources Tests */Package.swift */Sources */Tests Examples/*/Sources Examples/*/Stubs)

.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-all lint format update site release wasm install uninstall serve fleet clean

help:
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:
	@Tools/setup.sh core

build: setup
	$(SWIFT) build $(PARALLEL)

# For debugging, because the tests use the same build.
demo: setup ## decide six placements for 4,000 users, explain one decision, render its paywall's text
	$(SWIFT) build --product tollgate $(PARALLEL)
	@mkdir -p $(DEMO_OUT)
	@echo
	@echo '== Six placements, 4,000 lines of users, one paywall config'
	$(TOLLGATE) precompute corpus/demo/config.json --users corpus/demo/users.ndjson \
	  --out $(DEMO_OUT)/outcomes.ndjson --now $(DEMO_NOW) --seed $(DEMO_SEED) \
	  --rejects $(DEMO_OUT)/rejects.ndjson --summary text
	@echo
	@echo 'The config:          corpus/demo/config.json'
	@echo 'The users:           corpus/demo/users.ndjson'
	@echo 'Every outcome:       $(DEMO_OUT)/outcomes.ndjson'
	@echo 'The rejected lines:  $(DEMO_OUT)/rejects.ndjson'
	@echo
	@echo '== Why does Mara (corpus/demo/user.json) see what she sees when she exports a report?'
	$(TOLLGATE) explain corpus/demo/config.json --placement export_report \
	  --user corpus/demo/user.json --now $(DEMO_NOW) --seed $(DEMO_SEED)
	@echo
	@echo '== And what does that paywall tell her about prices?'
	$(TOLLGATE) render corpus/demo/export-trial.liquid --products corpus/demo/products.json \
	  --user corpus/demo/user.json --now $(DEMO_NOW)
	@echo
	@echo 'This was a debug build, which the tests share. The optimized build decides more than ten times'
	@echo 'as fast: make release'

test: setup ## build the tests, run them, then run the corpus
	Tools/test.sh

test-all: ## run everything that CI runs, and print a table of the steps
	Tools/test-all.sh

lint: ## check style, structure, versions, prose, and the places of the mutants
	Tools/version.sh check
	Tools/check-folders.sh
	Tools/check-memory.sh
	Tools/mutate/check.sh
	Tools/prose/check.py
	Tools/site/stage.py words quiet
	$(SWIFT) format lint --strict --parallel --recursive $(FORMATTED)

format: ## rewrite the Swift sources in the style of .swift-format
	$(SWIFT) format format --in-place --parallel --recursive $(FORMATTED)

update: setup ## rewrite the files that tests compare with; WHAT="messages pages counts ..."
	Tools/update.sh $(WHAT)

site: build ## build the documentation in out/site, check its links and count the words of each page
	Tools/site/build.sh

release: setup ## compile the optimized command, .build/release/tollgate
	$(SWIFT) build -c release --product tollgate $(PARALLEL)

wasm: ## build the JavaScript package with the engine in WebAssembly, out/wasm
	Tools/make-wasm.sh

install: release ## install the command, manual pages and completions below PREFIX=/usr/local; `make uninstall` removes them
	@Tools/Dist/stage.sh out/install --shared
	@Tools/Dist/install.sh install out/install

uninstall:
	@Tools/Dist/install.sh uninstall

# For debugging, because optimized builds of what a server needs take ten minutes and more.
PORT ?= 8080
serve: setup ## build and start the server with the demo's config, at PORT=8080
	Tools/nested.sh Server build --product tollgate-server
	@echo
	@echo 'Open http://127.0.0.1:$(PORT)/ in a browser to try rules. In another shell, for example:'
	@echo "  curl -s http://127.0.0.1:$(PORT)/v1/decide -d @corpus/demo/user.json"
	@echo "  curl -s --data-binary @corpus/demo/users.ndjson http://127.0.0.1:$(PORT)/v1/decide/stream"
	@echo 'docs/server.md has the rest. Ctrl-C stops it.'
	@echo
	.build/debug/tollgate-server --config corpus/demo/config.json --texts corpus/demo/texts.json \
	  --products corpus/demo/products.json --users corpus/demo/users.ndjson --seed demo \
	  --sample-user corpus/demo/user.json --sample-text corpus/demo/export-trial.liquid \
	  --sample-placement export_report --sample-now $(DEMO_NOW) --port $(PORT)

# Not in the list: it needs PostgreSQL and nginx.
fleet: setup
	Tools/nested.sh Server build --product tollgate-server
	Server/Tests/Fleet/fleet.py --port $(PORT)

clean: ## remove everything that the other targets made
	rm -rf .build .build-* out
