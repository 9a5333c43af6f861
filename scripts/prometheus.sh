#!/usr/bin/env bash
# Debian's Prometheus and promtool, for the tests of our alerts; its service is not started, the tests start their own.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v prometheus >/dev/null && command -v promtool >/dev/null && exit 0

# What keeps packages from starting what they bring; only there while this one is installed, unless somebody else's.
policy=/usr/sbin/policy-rc.d
as_root=()
((EUID == 0)) || as_root=(sudo -n)
if [[ ! -e $policy ]]; then
    trap '"${as_root[@]}" rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
    "${as_root[@]}" chmod 755 "$policy"
fi
scripts/apt_install.sh prometheus
