#!/usr/bin/env bash
# The Python package as its users have it: the wheel in an empty environment, then beside pyarrow, Polars, pandas
# and DuckDB; types, style and the examples of docstrings.
#
# usage: Tools/python-tests.sh [argument of pytest...]
#
# With ENGINES=all Spark, Ray, dbt and Dagster are installed and tested, too: they take half a gigabyte, and Java. So
# are the peers that the benchmark compares with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Tools/make-wheel.sh
wheel=$(ls out/wheels/*.whl)
Tools/setup-python.sh
venv=$PWD/out/python-venv

# With nothing but Python.
rm -rf out/python-bare
python3 -m venv out/python-bare
out/python-bare/bin/pip install --quiet --disable-pip-version-check --no-index --find-links out/wheels tollgate-rules
(
  cd out
  python-bare/bin/python - "$OLDPWD/corpus/demo/config.json" <<'END'
import json, sys
import tollgate

config = tollgate.Config.load(sys.argv[1], seed="demo")
user = {"userId": "u", "user": {"plan": "free"}}
assert config.decide("export_report", user).result
assert str(config.explain("export_report", user)).startswith("export_report: ")
print("bare: tollgate", tollgate.__version__, "decides", len(config.placements), "placements")
END
)

"$venv/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$wheel"
if [ "${ENGINES:-}" = all ]; then
  Tools/setup.sh engines
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r Python/requirements-engines.txt \
    -r Python/requirements-peers.txt
  # dbt and mypy need different versions of another package.
  pipelines=$PWD/out/pipelines-venv
  [ -x "$pipelines/bin/pip" ] || python3 -m venv "$pipelines"
  "$pipelines/bin/pip" install --quiet --disable-pip-version-check -r Python/requirements-pipelines.txt
fi
"$venv/bin/ruff" check Python
"$venv/bin/mypy" --config-file Python/pyproject.toml --python-executable "$venv/bin/python" Python/tollgate
# Not in the folder of the sources, so that it is the wheel that is tested.
(
  cd Python/tests
  "$venv/bin/python" -m pytest -q -p no:cacheprovider --import-mode=append "$@" . \
    --doctest-glob='*.md' --doctest-modules --pyargs tollgate
)
