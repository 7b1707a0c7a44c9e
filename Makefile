# `make` lists the targets. Nothing but Swift, make and git has to be there beforehand:
# `setup` installs the rest, and costs nothing when nothing is missing.

SWIFT ?= swift
# make JOBS=2 ... limits how many compilers run at once.
JOBS ?=
PARALLEL = $(if $(JOBS),-j $(JOBS))
export SWIFT
# The command has a limit of size; see Package.swift.
export TOLLGATE_SMALL = 1
# Where `make install` puts the command; DESTDIR goes before it, for those who make packages.
PREFIX ?= /usr/local
DESTDIR ?=
export PREFIX DESTDIR

TOLLGATE = .build/debug/tollgate
RELEASE = .build/release/tollgate
DEMO_NOW = 2026-03-01T12:00:00Z
DEMO_SEED = demo
DEMO_OUT = out/demo
CORPUS = corpus --counts corpus/counts.json
# Optimised, and memory that is used again is poisoned as in a debug build.
POISONED = --scratch-path .build-poison -Xswiftc -DTOLLGATE_POISON

# Packages nested in this one, for those whose folder exists.
NESTED = $(patsubst %/Package.swift,%,$(wildcard Benchmarks/Package.swift Examples/Package.swift Server/Package.swift))
FORMATTED = $(wildcard Package.swift Sources Tests */Package.swift */Sources */Tests Examples/*/Sources Examples/*/Stubs)

.DEFAULT_GOAL := help
.PHONY: serve help setup build release install uninstall archive test-archive dist test-dist library test-library wheel test-python demo test test-all release-tests asan tsan property mutants nightly conformance counts schemas examples example messages api docs kill-tests fuzz bench bench-python format lint clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what the build needs from the system, if anything is missing
	@Tools/setup.sh core

build: setup ## compile everything, for debugging
	$(SWIFT) build $(PARALLEL)

release: setup ## compile the command as it is meant to run, to .build/release/tollgate
	$(SWIFT) build -c release --product tollgate $(PARALLEL)

install: release ## install the command, manual pages and completions below PREFIX=/usr/local
	@Tools/Dist/stage.sh out/install --shared
	@Tools/Dist/install.sh install out/install

uninstall: ## remove what `make install` installed below PREFIX=/usr/local
	@Tools/Dist/install.sh uninstall

archive: release ## pack the command for others: out/dist/tollgate-VERSION-SYSTEM-MACHINE.tar.gz
	@Tools/setup.sh dist
	@Tools/Dist/archive.sh

test-archive: archive ## check that archive: contents, size, that it runs beside a C library alone, installing
	@Tools/Dist/check.sh

# RELEASE_URL is where the files will be; see Tools/Dist/packages.sh.
dist: archive wheel ## all that a release has, into out/dist: the archive, the Python package, a formula, sums
	@Tools/Dist/packages.sh

test-dist: test-archive dist ## check all of that
	@Tools/Dist/check-packages.sh

library: setup ## build the C library and its headers: out/library
	@Tools/setup.sh dist
	JOBS=$(JOBS) Tools/link-library.sh

test-library: library ## compile and run the example in C, under the address sanitizer too
	Tools/library-tests.sh

wheel: library ## pack the Python package: out/wheels
	Tools/make-wheel.sh

test-python: wheel ## test the wheel: by itself, and with pyarrow, Polars, pandas and DuckDB
	Tools/python-tests.sh

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
	@echo 'The lines refused:   $(DEMO_OUT)/rejects.ndjson'
	@echo
	@echo '== Why does Mara (corpus/demo/user.json) see what she sees when she exports a report?'
	$(TOLLGATE) explain corpus/demo/config.json --placement export_report \
	  --user corpus/demo/user.json --now $(DEMO_NOW) --seed $(DEMO_SEED)
	@echo
	@echo '== And what does that paywall tell her about prices?'
	$(TOLLGATE) render corpus/demo/export-trial.liquid --products corpus/demo/products.json \
	  --user corpus/demo/user.json --now $(DEMO_NOW)
	@echo
	@echo 'This was a debug build, which the tests use as well. For work, take the optimised one, which'
	@echo 'decides ten times as fast and more: make release'

test: setup ## build the tests, run them, then run the corpus
	$(SWIFT) build --build-tests $(PARALLEL)
	Tools/run-tests.sh --skip-build
	$(SWIFT) run --skip-build conformance $(CORPUS)

test-all: setup ## what CI runs: lint, test, public names, lesser machines, an optimised build, the archive, and, in the first MINUTES=55, sanitizers and fuzzing in short
	JOBS=$(JOBS) Tools/test-all.sh

# What only optimised builds do is seen by nothing else.
release-tests: setup ## the corpus and the tests of the command line, with an optimised build
	$(MAKE) release
	$(SWIFT) build -c release --product conformance $(PARALLEL)
	$(SWIFT) build --build-tests $(PARALLEL)
	$(SWIFT) run -c release --skip-build conformance $(CORPUS)
	TOLLGATE_TESTS=all TOLLGATE_TOOL=$(CURDIR)/$(RELEASE) Tools/run-tests.sh --skip-build --filter \
	  "CommandTests\..*(CommandTests|ProcessTests|RuleErrorsTests|InputFormsTests|DemoFormsTests|PrecomputeFilesTests)"

asan: setup ## the tests, the corpus and all forms of input under the address sanitizer, AVX-512 or not
	JOBS=$(JOBS) Tools/sanitize.sh address

tsan: setup ## the same under the thread sanitizer
	JOBS=$(JOBS) Tools/sanitize.sh thread

# For debugging, because clean optimised builds of what a server needs take ten minutes and more.
PORT ?= 8080
serve: setup ## build and start the server with the demo's config, at PORT=8080
	@# A nested package finds files that were added to this one only when its manifest is new.
	@touch Server/Package.swift
	$(SWIFT) build --package-path Server --product tollgate-server $(PARALLEL)
	@echo
	@echo 'Open http://127.0.0.1:$(PORT)/ in a browser to try rules out. In another shell, for example:'
	@echo "  curl -s http://127.0.0.1:$(PORT)/v1/decide -d @corpus/demo/user.json"
	@echo "  curl -s --data-binary @corpus/demo/users.ndjson http://127.0.0.1:$(PORT)/v1/decide/stream"
	@echo 'docs/server.md has the rest. Ctrl-C stops it.'
	@echo
	Server/.build/debug/tollgate-server --config corpus/demo/config.json --texts corpus/demo/texts.json \
	  --products corpus/demo/products.json --users corpus/demo/users.ndjson --seed demo \
	  --sample-user corpus/demo/user.json --sample-text corpus/demo/export-trial.liquid \
	  --sample-placement export_report --sample-now $(DEMO_NOW) --port $(PORT)

RUNS ?= 200
SEED ?= 1
property: setup ## RUNS=200 random configs and users, from SEED=1 on, through every form of input
	$(SWIFT) build -c release --product tollgate $(POISONED) $(PARALLEL)
	$(SWIFT) build --build-tests $(PARALLEL)
	TOLLGATE_TOOL=$(CURDIR)/.build-poison/release/tollgate TOLLGATE_RUNS=$(RUNS) TOLLGATE_SEED=$(SEED) Tools/run-tests.sh --skip-build --filter InputFormsTests

mutants: setup ## plant faults in a copy of the sources, and list those that corpus and tests do not notice
	Tools/mutate/mutate.py run $(if $(JOBS),--jobs $(JOBS)) $(MUTANTS)

nightly: ## what takes longer than CI may: both sanitizers on everything, property, kill-tests, fuzz, Spark and Ray
	$(MAKE) asan
	$(MAKE) tsan
	$(MAKE) property
	$(MAKE) kill-tests
	$(MAKE) fuzz
	ENGINES=all $(MAKE) test-python

conformance: setup ## run the corpus: one table of its suites; fails unless the counts are those of corpus/counts.json
	$(SWIFT) run $(PARALLEL) conformance $(CORPUS) --table --quiet

counts: setup ## write corpus/counts.json anew: how many cases of each suite pass and are skipped
	$(SWIFT) run $(PARALLEL) conformance $(CORPUS) --update-counts --quiet

messages: setup ## write anew what tests expect to be said: Tests/CommandTests/Messages, corpus/diagnostics and decoding
	$(SWIFT) build --build-tests $(PARALLEL)
	TOLLGATE_UPDATE=messages Tools/run-tests.sh --skip-build --filter "MessageTests|RenderedTextTests|EditedConfigTests"

schemas: setup ## write the JSON Schemas of case lines anew, corpus/schemas/suites
	$(SWIFT) build --build-tests $(PARALLEL)
	TOLLGATE_UPDATE=schemas Tools/run-tests.sh --skip-build --filter CaseSchemaTests

examples: ## make the tests of the examples in docstrings and guides anew
	Tools/make-examples.sh

example: setup ## build the app in Examples/TerminalApp and run it: ARGS='--script "register campaign_trigger; buy 1"'
	$(SWIFT) run --package-path Examples $(PARALLEL) TerminalApp $(ARGS)

api: build ## list the public declarations in docs/api anew, and count their types
	Tools/api.sh

docs: build ## build the reference of the libraries into out/docs
	Tools/docc.sh

KILLS ?= 50
kill-tests: setup ## kill precompute, an app that stores and the server at random moments, KILLS=50 times for each, and look
	$(SWIFT) build --build-tests $(PARALLEL)
	TOLLGATE_KILLS=$(KILLS) Tools/run-tests.sh --skip-build --filter KillTests
	@# A nested package finds files that were added to this one only when its manifest is new.
	@touch Server/Package.swift
	TOLLGATE_KILLS=$(KILLS) $(SWIFT) test --package-path Server --disable-xctest --filter KillTests $(PARALLEL)

TIME ?= 60
fuzz: setup ## look for inputs that break a promise, TIME=60 seconds for each target
	TIME=$(TIME) JOBS=$(JOBS) Tools/fuzz.sh $(TARGETS)

bench: setup ## measure; the figures are for this machine and this moment
	@test -f Benchmarks/Package.swift || { echo 'bench: no folder Benchmarks yet' >&2; exit 1; }
	@# A nested package finds files that were added to this one only when its manifest is new.
	@touch Benchmarks/Package.swift
	$(SWIFT) run --package-path Benchmarks -c release $(PARALLEL) bench all

bench-python: wheel ## measure the Python package, with DuckDB, Polars, cel-rust and GrowthBook beside it
	out/python-venv/bin/pip install --quiet --disable-pip-version-check -r Python/requirements-peers.txt
	out/python-venv/bin/pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall out/wheels/*.whl
	out/python-venv/bin/python Python/benchmarks/reach.py

format: ## rewrite the Swift sources in the style of .swift-format
	$(SWIFT) format format --in-place --parallel --recursive $(FORMATTED)

lint: ## report what `make format` would change, what it cannot, folders that use later ones, memory without a reason, versions that differ, mutants without a place
	Tools/version.sh check
	Tools/check-folders.sh
	Tools/check-memory.sh
	Tools/mutate/check.sh
	$(SWIFT) format lint --strict --parallel --recursive $(FORMATTED)

clean: ## remove everything that the other targets made
	rm -rf .build .build-library .build-nopcre2 .build-poison .build-address* .build-thread* out Fuzz/.build $(addsuffix /.build,$(NESTED))
