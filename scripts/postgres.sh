#!/usr/bin/env bash
# Makes a PostgreSQL answer on 127.0.0.1:5432 for the tests, as user postgres without a password.
# Does nothing where something listens there. Otherwise starts a cluster of its own, named trueward, with Debian's
# packages (installed when missing): another cluster's data and access rules are left alone.
set -euo pipefail
cd "$(dirname "$0")/.."

listens() { (exec 3<>/dev/tcp/127.0.0.1/5432) 2>/dev/null; }

if listens; then exit 0; fi
if ((EUID != 0)); then
    echo "no PostgreSQL listens on 127.0.0.1:5432; start one, or run this as root" >&2
    exit 1
fi

scripts/apt_install.sh postgresql
if listens; then
    # The package's own cluster started with its installation; it asks for passwords, ours does not.
    pg_lsclusters --no-header | while read -r version name port _; do
        if [[ "$port" == 5432 ]]; then pg_ctlcluster --skip-systemctl-redirect "$version" "$name" stop; fi
    done
fi

version=$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n | tail -n 1)
if ! pg_lsclusters --no-header "$version" trueward >/dev/null 2>&1; then
    pg_createcluster --port 5432 --start-conf manual "$version" trueward -- \
        --auth=trust --encoding=UTF8 --locale=C.UTF-8 >/dev/null
fi
pg_ctlcluster --skip-systemctl-redirect "$version" trueward start

for _ in {1..60}; do
    if listens; then
        echo "PostgreSQL $version answers on 127.0.0.1:5432"
        exit 0
    fi
    sleep 0.5
done
echo "PostgreSQL $version did not start; see /var/log/postgresql" >&2
exit 1
