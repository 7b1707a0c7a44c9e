#!/usr/bin/env bash
# Checks the files of Server/Deploy with the programs that read them: units with systemd-analyze, manifests with
# kubernetes-validate, alerts with promtool, the balancer's file with nginx, the compose file with docker or podman, and
# that every option in them is one of the server's. A program that is missing is named, and its check left out unless
# DEPLOY=required.
#
# usage: Tools/deploy-tests.sh
#
# SERVER is the server (default: .build/debug/tollgate-server).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

files=Server/Deploy
server=${SERVER:-.build/debug/tollgate-server}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

left_out() {
  echo "deploy-tests: left out: $1"
  if [ "${DEPLOY:-}" = required ]; then exit 1; fi
}

# Units name a program that is installed later.
if command -v systemd-analyze >/dev/null; then
  for unit in "$files"/*.service; do
    name=$(basename "$unit")
    sed 's|^ExecStart=/usr/local/bin/tollgate-server|ExecStart=/bin/true|' "$unit" >"$folder/${name/@/@8081}"
  done
  systemd-analyze verify --man=no "$folder"/*.service
  echo 'deploy-tests: units are valid'
else
  left_out 'systemd-analyze is missing'
fi

validate=$(command -v kubernetes-validate || true)
if [ -z "$validate" ]; then
  venv=out/venv-deploy
  if [ -x "$venv/bin/kubernetes-validate" ] || { python3 -m venv "$venv" \
    && "$venv/bin/pip" install --quiet 'kubernetes-validate>=1.33,<2'; }; then
    validate=$venv/bin/kubernetes-validate
  fi
fi
if [ -n "$validate" ]; then
  "$validate" --strict "$files/kubernetes.yaml"
  echo 'deploy-tests: manifests are valid'
else
  left_out 'kubernetes-validate cannot be installed'
fi

if command -v promtool >/dev/null; then
  promtool check rules "$files/alerts.yaml"
  # Alerts on metrics that no server has would never fire.
  for metric in $(grep -oE 'tollgate_[a-z_]+' "$files/alerts.yaml" | sed 's/_bucket$//' | sort -u); do
    grep -rqF "\"$metric\"" Server/Sources/Service || {
      echo "deploy-tests: no server has the metric $metric" >&2
      exit 1
    }
  done
else
  left_out 'promtool is missing (Debian: prometheus)'
fi

if command -v nginx >/dev/null; then
  paths=
  for kind in client_body proxy fastcgi uwsgi scgi; do paths+="${kind}_temp_path $folder/$kind; "; done
  sed -e 's|server-[0-9]:8080|127.0.0.1:8080|' -e "s|^http {|&\n$paths|" \
    -e "1i pid $folder/pid; error_log stderr;" "$files/nginx.conf" >"$folder/nginx.conf"
  nginx -t -q -c "$folder/nginx.conf"
  echo 'deploy-tests: the balancer file is valid'
else
  left_out 'nginx is missing'
fi

if docker compose version >/dev/null 2>&1; then
  for file in config.json database-url database-password admin-token; do : >"$folder/$file"; done
  cp "$files/compose.yaml" "$files/nginx.conf" "$folder"
  docker compose -f "$folder/compose.yaml" config --quiet
  echo 'deploy-tests: the compose file is valid'
else
  left_out 'docker compose is missing'
fi

if [ -x "$server" ]; then
  "$server" help serve >"$folder/help"
  for option in $(grep -ohE -- '(^|[^-a-z])--[a-z][a-z-]+' \
    "$files"/{Containerfile,compose.yaml,kubernetes.yaml} "$files"/*.service | grep -oE -- '--[a-z-]+' | sort -u); do
    case $option in
      --no-install-recommends | --package-path | --product | --static-swift-stdlib | --traits | --system | --uid | \
        --create-home | --home-dir | --from | --from-literal | --now) continue ;;
    esac
    grep -qE -- "(^|[^-a-z])$option([^-a-z]|$)" "$folder/help" || {
      echo "deploy-tests: tollgate-server has no option $option" >&2
      exit 1
    }
  done
  echo 'deploy-tests: all options are known'
else
  left_out "$server is missing; build it with Tools/nested.sh Server build"
fi
