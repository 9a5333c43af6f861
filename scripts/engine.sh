#!/usr/bin/env bash
# Makes a Docker engine answer. Does nothing where `docker info` works; otherwise installs Debian's docker.io when
# there is no dockerd, and starts dockerd as root. Fails with the engine's log when it does not come up.
set -euo pipefail
cd "$(dirname "$0")/.."

answers() { docker info >/dev/null 2>&1; }

if answers; then exit 0; fi
if ((EUID != 0)); then
    echo "no Docker engine answers \`docker info\`; start one, or run this as root" >&2
    exit 1
fi

if ! command -v dockerd >/dev/null; then
    scripts/apt_install.sh docker.io iptables
    hash -r
fi

if ! answers && ! pidof dockerd >/dev/null; then
    # Left by an engine that was killed: their numbers may be other processes' by now, and dockerd would refuse.
    rm -f /var/run/docker.pid
    pidof containerd >/dev/null || rm -f /var/run/docker/containerd/containerd.pid
    log=/var/log/trueward-dockerd.log
    echo "starting the Docker engine (log: $log)"
    setsid --fork dockerd </dev/null >"$log" 2>&1
fi

for _ in {1..120}; do
    if answers; then exit 0; fi
    sleep 0.5
done
tail -n 20 "${log:-/dev/null}" >&2
echo "the Docker engine did not start within 60 s" >&2
exit 1
