#!/usr/bin/env bash
# Installs Debian packages: `scripts/apt_install.sh postgresql`. Does nothing where all are there; refreshes the
# package lists only when the known ones cannot satisfy the request. Needs root, or sudo without a password.
set -euo pipefail

missing=()
for package in "$@"; do
    [[ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" == *" installed" ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=(env DEBIAN_FRONTEND=noninteractive)
((EUID == 0)) || as_root=(sudo -n "${as_root[@]}")
install=("${as_root[@]}" apt-get install -o DPkg::Lock::Timeout=300 --yes --quiet --no-install-recommends "${missing[@]}")

echo "installing Debian packages: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "${install[@]}" >"$log" 2>&1; then
    "${as_root[@]}" apt-get update --quiet >"$log" 2>&1 && "${install[@]}" >>"$log" 2>&1 || {
        tail -n 30 "$log" >&2
        echo "cannot install ${missing[*]} (see above)" >&2
        exit 1
    }
fi
