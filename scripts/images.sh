#!/usr/bin/env bash
# Makes the base images of the tests out of Debian packages, for machines that cannot pull public ones:
#   scripts/images.sh python    trueward-test/python: Python 3.11 with the server's lock as wheels, no network needed
#   scripts/images.sh models    trueward-test/python-models: the same with what runs models
#   scripts/images.sh sandbox   trueward-test/sandbox: sandbox/images/Dockerfile, the tool chains that CI runs
#   scripts/images.sh postgres  trueward-test/postgres: PostgreSQL 15 behind the public image's environment variables
# Debian's part is made once (needs root); the rest is rebuilt when a lock changed.
set -euo pipefail
cd "$(dirname "$0")/.."

# import_debian TAG PACKAGES: a minimal Debian 12 with these packages, imported as an image.
import_debian() {
    local tag=$1 packages=$2 root
    docker image inspect "$tag" >/dev/null 2>&1 && return
    if ((EUID != 0)); then
        echo "making $tag needs root (debootstrap)" >&2
        exit 1
    fi
    scripts/apt_install.sh debootstrap
    echo "making $tag from Debian packages"
    root=$(mktemp -d)
    if ! debootstrap --variant=minbase --include="$packages" bookworm "$root" >"$root.log" 2>&1; then
        tail -n 20 "$root.log" >&2
        exit 1
    fi
    tar --directory "$root" --exclude './var/cache/apt/archives/*.deb' --create . | docker import - "$tag" >/dev/null
    rm -rf "$root" "$root.log"
}

# build TAG ARGUMENTS: docker build, silent when it works.
build() {
    local log
    log=$(mktemp)
    if ! docker build --tag "$@" >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        exit 1
    fi
    rm -f "$log"
}

# What the Dockerfile's pip will ask for, for Debian 12's Python whatever this machine's is: a marker is read as true, for
# this Python's answer is not that one's.
download_wheels() {
    local wheels=$1 lock
    shift
    for lock in "$@"; do
        sed -E 's/ ; python_full_version <.* \\$/ \\/' "locks/$lock.txt" >"$wheels/$lock.txt"
        .venv/bin/python -m pip --disable-pip-version-check download --quiet --no-deps --only-binary=:all: \
            --python-version 3.11 --requirement "$wheels/$lock.txt" --dest "$wheels" 2>"$wheels.log" || {
            tail -n 20 "$wheels.log" >&2
            exit 1
        }
    done
}

# build_base TAG LOCKS: Debian's Python with these locks' wheels.
build_base() {
    local tag=$1 context
    shift
    import_debian trueward-test/debian-python python3,python3-venv,ca-certificates
    context=$(mktemp -d)
    mkdir "$context/wheels"
    cp scripts/images/python.Dockerfile "$context/Dockerfile"
    download_wheels "$context/wheels" "$@"
    build "$tag" "$context"
    rm -rf "$context"
}

build_python() { build_base trueward-test/python build server; }

build_models() { build_base trueward-test/python-models build models torch; }

build_postgres() {
    import_debian trueward-test/debian-postgres postgresql-15
    build trueward-test/postgres --file scripts/images/postgres.Dockerfile scripts/images
}

build_sandbox() {
    local packages
    packages=$(sed -nE 's/^ARG PACKAGES="(.*)"$/\1/p' sandbox/images/Dockerfile)
    import_debian trueward-test/debian-sandbox "${packages// /,}"
    build trueward-test/sandbox --build-arg BASE_IMAGE=trueward-test/debian-sandbox sandbox/images
}

for image in "$@"; do
    "build_$image"
done
