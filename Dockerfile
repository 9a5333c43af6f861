# The Trueward server. Any base with Python 3.11 or newer and its venv module will do:
#   docker build -t trueward .
#   docker build -t trueward --build-arg BASE_IMAGE=registry.example/python:3.12 .
# It writes to /data and /tmp alone, and needs no capability: see docs/operations.md for the flags.
ARG BASE_IMAGE=python:3.11-slim-bookworm
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

# Dependencies first: a change of the code alone repeats only the last, short installation.
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY client/pyproject.toml client/README.md client/LICENSE client/
RUN python3 -m venv .venv \
    && pip install --no-cache-dir --constraint constraints.txt ./client '.[redis]'
COPY . .
# Compiled here, because nothing can be written there later; and without the means to install anything else.
RUN pip install --no-cache-dir --no-deps --editable client --editable . \
    && python -m compileall -q app audits client/src judges migrations rewards sandbox trueward_server verifiers \
    && pip uninstall --yes --quiet pip setuptools

# By number, so that an orchestrator can see that it is not root.
USER 10001:10001
VOLUME /data
EXPOSE 8421
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8421/health/ready', timeout=4)"]
CMD ["trueward", "serve", "--host", "0.0.0.0", "--port", "8421"]
