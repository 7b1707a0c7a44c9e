#!/usr/bin/env bash
# Builds the fuzz targets and runs them one after the other; see Fuzz/README.md.
#
# usage: Tools/fuzz.sh [TARGET...]        all targets of Fuzz/ when none is named
#
# TIME=SECONDS   how long each target runs (default 60)
# RUNS=N         how many inputs each target runs instead, from a fixed seed: the same every time. Those
#                that are slow run a part of it.
# SANITIZE=address    AddressSanitizer as well
# BUILD=no       take what was built before
# EDGES=yes      count the edges of each folder of Sources that were run, which takes a minute more
#
# What is found lies in out/fuzz/VARIANT/TARGET: `corpus` grows from run to run, `findings` holds the
# inputs that broke a promise, or took more than a second (slow-unit-*). The exit status is 1 when a
# promise was broken, and when the language ran without being instrumented.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  targets=(lexer parser evaluator superscript regex json config agentwallie decide users templates
    products prices bridge)
fi

variant=plain${TOLLGATE_NO_PCRE2:+-nopcre2}${SANITIZE:+-$SANITIZE}
scratch=.build-fuzz-$variant
products=$scratch/release

# Build everything with one plan: the modules of Tollgate are the same for all targets.
if [ "${BUILD:-yes}" != no ]; then
  # A nested package finds files that were added to Tollgate only when its manifest is new.
  touch Fuzz/Package.swift
  # Of several such options the compiler takes the last one alone, so it has to name them all.
  ${SWIFT:-swift} build --package-path Fuzz --scratch-path "$scratch" -c release \
    --sanitize fuzzer ${SANITIZE:+--sanitize "$SANITIZE" -Xswiftc "-sanitize=fuzzer,$SANITIZE"} \
    -Xswiftc -enable-testing ${JOBS:+-j "$JOBS"}
fi

# Swift's own backtraces keep libFuzzer from writing the input that crashed.
export SWIFT_BACKTRACE=enable=no
export TOLLGATE_CORPUS=$PWD/corpus
# What was freed is kept for a while, and must not count as what an input takes.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0:quarantine_size_mb=32}

# Bytes of an input: whole configs, files and scripts do not fit into what is enough for expressions.
length() {
  case $1 in
  config | agentwallie | decide | users | products | bridge) echo 6000 ;;
  templates) echo 2000 ;;
  *) echo 1000 ;;
  esac
}

# How many of RUNS inputs a target runs: what decides whole configs or simulates an app takes longer.
runs() {
  case $1 in
  bridge) echo $((RUNS / 50)) ;;
  decide | products) echo $((RUNS / 5)) ;;
  superscript | templates | users) echo $((RUNS / 2)) ;;
  *) echo "$RUNS" ;;
  esac
}

# Of all edges that a target has run; 0 when nothing is instrumented.
edges() { grep -aoE ' cov: [0-9]+' "$1" | tail -1 | grep -oE '[0-9]+' || echo 0; }

# The edges that were run in each folder of Sources, as libFuzzer's symbols place its functions.
edges_by_folder() {
  sed -nE 's|^COVERED_FUNC:.* edges: ([0-9]+)/[0-9]+ .*/Sources/([^/]+)/.*|\2 \1|p' "$1" |
    awk '{ sum[$1] += $2 } END { for (name in sum) printf "  edges in Sources/%s: %d\n", name, sum[name] }' |
    sort
}

status=0
for target in "${targets[@]}"; do
  out=out/fuzz/$variant/$target
  mkdir -p "$out/corpus" "$out/findings"
  rm -rf "$out/seeds"
  # The seeds are written by a start without a run.
  TOLLGATE_SEEDS=$out/seeds "$products/fuzz-$target" -runs=0 >"$out/seeds.log" 2>&1
  folders=("$out/corpus" "$out/seeds")
  if [ -n "${RUNS:-}" ]; then
    # From the seeds alone, so that what earlier runs have found makes no difference.
    folders=("$out/seeds")
    bounds=(-runs="$(runs "$target")" -seed=1)
  else
    bounds=(-max_total_time="${TIME:-60}")
  fi
  if [ "${EDGES:-no}" = yes ]; then bounds+=(-print_coverage=1); fi
  echo "fuzz-$target: ${bounds[*]}"
  if "$products/fuzz-$target" "${folders[@]}" "${bounds[@]}" -max_len="$(length "$target")" -timeout=10 \
    -report_slow_units=1 -rss_limit_mb=2048 -malloc_limit_mb=512 -dict=Fuzz/tollgate.dict \
    -artifact_prefix="$out/findings/" -print_final_stats=1 >"$out/log" 2>&1; then
    grep -aE 'number_of_executed_units|average_exec_per_sec|peak_rss_mb' "$out/log" | sed 's/^stat::/  /'
    echo "  edges: $(edges "$out/log")"
    edges_by_folder "$out/log"
    grep -aE '^Slowest unit: [0-9]+ s' "$out/log" | tail -1 | sed 's/^/  /' || true
    # An engine that is not instrumented runs as well, and finds next to nothing.
    if [ "$target" = evaluator ] && [ "$(edges "$out/log")" -lt 3000 ]; then
      status=1
      echo "fuzz-$target: fewer than 3000 edges: the language was built without instrumentation" >&2
    fi
  else
    status=1
    grep -aE 'broken promise|Fatal error|ERROR|Test unit|Base64' "$out/log" | head -8 >&2
    echo "fuzz-$target: found something; $out/log tells more" >&2
  fi
done
exit $status
