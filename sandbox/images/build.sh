#!/usr/bin/env bash
# Builds the image of the Docker sandbox, by default with the tool chains that CI runs:
#   sandbox/images/build.sh                          trueward/sandbox, on the public Debian image
#   sandbox/images/build.sh TAG BASE_IMAGE           the same Dockerfile on a base of your own
#   scripts/images.sh sandbox                        on a base made of Debian packages, for machines without a registry
set -euo pipefail
cd "$(dirname "$0")"

exec docker build --tag "${1:-trueward/sandbox}" ${2:+--build-arg BASE_IMAGE="$2"} ${3:+--build-arg PACKAGES="$3"} .
