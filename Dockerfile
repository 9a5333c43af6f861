# The Trueward server, in two sizes; `make image` builds both and prints what each adds to its base:
#   docker build -t trueward .
#   docker build -t trueward:models --build-arg LOCK=models .     with what runs models (the extra `models`)
# Any base with Python 3.11 or newer and its venv module will do: --build-arg BASE_IMAGE=registry.example/python:3.12
# It writes to /data and /tmp alone, and needs no capability: see docs/operations.md for the flags.
ARG BASE_IMAGE=python:3.11-slim-bookworm

FROM ${BASE_IMAGE} AS build
ARG LOCK=server
WORKDIR /src
# The tools stay here: the image has no means to install anything.
COPY locks/build.txt locks/
RUN python3 -m venv /tools \
    && /tools/bin/python -m pip install --no-cache-dir --no-deps --require-hashes --requirement locks/build.txt \
    && python3 -m venv --without-pip /opt/trueward/.venv
ENV PIP="/tools/bin/python -m pip --python /opt/trueward/.venv/bin/python install --no-cache-dir --no-compile"
# Dependencies first: a change of the code alone repeats only the last, short installation.
COPY locks/${LOCK}.txt locks/torch.txt locks/
RUN $PIP --no-deps --require-hashes --requirement locks/${LOCK}.txt \
    && if [ "$LOCK" = models ]; then $PIP --requirement locks/torch.txt; fi
COPY . .
# As wheels, so that nothing points back to the sources. Packages' own tests go: a fifth of the whole. Compiled here,
# because nothing can be written there later; what a package has for newer Pythons alone does not compile, and need not.
RUN /tools/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir /built ./client . \
    && $PIP --no-deps --no-index /built/*.whl \
    && find /opt/trueward/.venv -type d -name tests -prune -exec rm -rf {} + \
    && { python3 -m compileall -qq /opt/trueward/.venv/lib || true; }

FROM ${BASE_IMAGE}
RUN groupadd --system --gid 10001 trueward \
    && useradd --system --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin trueward \
    && install --directory --mode 700 --owner trueward --group trueward /data \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} +

WORKDIR /opt/trueward
ENV PATH=/opt/trueward/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    TRUEWARD_DATA_DIR=/data \
    TRUEWARD_ENVIRONMENT=production
COPY --from=build /opt/trueward /opt/trueward

# By number, so that an orchestrator can see that it is not root.
USER 10001:10001
VOLUME /data
EXPOSE 8421
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8421/health/ready', timeout=4)"]
CMD ["trueward", "serve", "--host", "0.0.0.0", "--port", "8421"]
