#!/usr/bin/env bash
# Builds the image in both sizes, NAME:VERSION and NAME:VERSION-models, and prints what each adds to its base:
#   scripts/image.sh [NAME [BASE_IMAGE [BASE_IMAGE_OF_MODELS]]]
set -euo pipefail
cd "$(dirname "$0")/.."

name=${1:-trueward}
base=${2:-$(sed -nE 's/^ARG BASE_IMAGE=//p' Dockerfile)}
models_base=${3:-$base}
version=$(sed -nE 's/^version = "(.*)"$/\1/p' pyproject.toml)

bytes() { docker image inspect --format '{{.Size}}' "$1"; }

# build_size TAG BASE LOCK
build_size() {
    docker build --quiet --tag "$1" --build-arg "BASE_IMAGE=$2" --build-arg "LOCK=$3" . >/dev/null
    echo "$1: $((($(bytes "$1") - $(bytes "$2")) / 1000000)) MB over its base"
}

build_size "$name:$version" "$base" server
build_size "$name:$version-models" "$models_base" models
