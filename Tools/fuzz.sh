#!/usr/bin/env bash
# Builds the fuzz targets and runs them one after the other; see Fuzz/README.md.
#
# usage: Tools/fuzz.sh [TARGET...]        all targets of Fuzz/ when none is named
#
# TIME=SECONDS   how long each target runs (default 60)
# RUNS=N         how many inputs each target runs instead, from a fixed seed: the same every time
# SANITIZE=address    AddressSanitizer as well
# BUILD=no       take what was built before
#
# What is found lies in out/fuzz/TARGET: `corpus` grows from run to run, `findings` holds the inputs
# that broke a promise. The exit status is 1 when there is one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then targets=(lexer parser evaluator regex json config); fi

variant=plain${TOLLGATE_NO_PCRE2:+-nopcre2}${SANITIZE:+-$SANITIZE}
scratch=Fuzz/.build/$variant
products=$scratch/release

# Build everything with one plan: the modules of Tollgate are the same for all targets.
if [ "${BUILD:-yes}" != no ]; then
  # A nested package finds files that were added to Tollgate only when its manifest is new.
  touch Fuzz/Package.swift
  ${SWIFT:-swift} build --package-path Fuzz --scratch-path "$scratch" -c release \
    --sanitize fuzzer ${SANITIZE:+--sanitize "$SANITIZE"} -Xswiftc -enable-testing \
    ${JOBS:+-j "$JOBS"}
fi

# Swift's own backtraces keep libFuzzer from writing the input that crashed.
export SWIFT_BACKTRACE=enable=no
export TOLLGATE_CORPUS=$PWD/corpus
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}

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
    bounds=(-runs="$RUNS" -seed=1)
  else
    bounds=(-max_total_time="${TIME:-60}")
  fi
  echo "fuzz-$target: ${bounds[*]}"
  if "$products/fuzz-$target" "${folders[@]}" "${bounds[@]}" -max_len=1000 -timeout=10 \
    -rss_limit_mb=2048 -dict=Fuzz/tollgate.dict -artifact_prefix="$out/findings/" \
    -print_final_stats=1 >"$out/log" 2>&1; then
    grep -aE 'number_of_executed_units|average_exec_per_sec' "$out/log" | sed 's/^stat::/  /'
  else
    status=1
    grep -aE 'broken promise|Fatal error|ERROR|Test unit|Base64' "$out/log" | head -8 >&2
    echo "fuzz-$target: found something; $out/log tells more" >&2
  fi
done
exit $status
