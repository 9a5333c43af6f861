#!/bin/sh
# Initialises an empty data directory from POSTGRES_USER, POSTGRES_PASSWORD and POSTGRES_DB, then runs the server.
# Begins as root, as the public image does, for directories that were mounted over its own.
set -eu

if [ "$(id -u)" = 0 ]; then
    mkdir -p "$PGDATA" /var/run/postgresql
    chmod 0700 "$PGDATA"
    chmod 03775 /var/run/postgresql
    chown postgres:postgres "$PGDATA" /var/run/postgresql
    exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

user=${POSTGRES_USER:-postgres}
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    : "${POSTGRES_PASSWORD:?must be set to initialise the database}"
    passwords=$(mktemp)
    printf '%s\n' "$POSTGRES_PASSWORD" >"$passwords"
    initdb --username="$user" --pwfile="$passwords" --auth-host=scram-sha-256 --auth-local=trust \
        --encoding=UTF8 --locale=C.UTF-8
    rm "$passwords"
    echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
    pg_ctl --wait --options="-c listen_addresses=''" start
    if [ "${POSTGRES_DB:-$user}" != postgres ]; then
        createdb --username="$user" --maintenance-db=postgres "${POSTGRES_DB:-$user}"
    fi
    pg_ctl --wait --mode=fast stop
fi
exec "$@" -c listen_addresses='*'
