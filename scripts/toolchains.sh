#!/usr/bin/env bash
# Installs the tool chains that sandbox/languages/*.yaml name, as Debian packages:
#   scripts/toolchains.sh ci      those of the suite (the default)
#   scripts/toolchains.sh prove   all of them
# Does nothing where all are there. Reads the YAML by its lines, so that it works before anything is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

tier=${1:-ci}
[[ $tier == ci || $tier == prove ]] || { echo "usage: scripts/toolchains.sh [ci|prove]" >&2; exit 2; }

packages=()
for language in sandbox/languages/*.yaml; do
    [[ $tier == prove ]] || ! grep -q '^tier: prove$' "$language" || continue
    line=$(sed -nE 's/^packages: \[(.*)\]$/\1/p' "$language")
    [[ -n $line ]] || { echo "$language: its packages are not a list on one line" >&2; exit 1; }
    IFS=', ' read -ra named <<<"$line"
    packages+=("${named[@]}")
done
exec scripts/apt_install.sh "${packages[@]}"
