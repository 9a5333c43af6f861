# The Trueward server. Any base with Python 3.11 or newer and its venv module will do:
#   docker build -t trueward .
#   docker build -t trueward --build-arg BASE_IMAGE=registry.example/python:3.12 .
ARG BASE_IMAGE=python:3.11-slim-bookworm
FROM ${BASE_IMAGE}

RUN useradd --system --uid 10001 --user-group --no-create-home --home-dir /data trueward \
    && install --directory --owner trueward --group trueward /data

WORKDIR /opt/trueward
ENV PATH=/opt/trueward/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    TRUEWARD_DATA_DIR=/data \
    TRUEWARD_ENVIRONMENT=production

# Dependencies first: a change of the code alone repeats only the last, short installation.
COPY constraints.txt pyproject.toml README.md ./
COPY client/pyproject.toml client/README.md client/
RUN python3 -m venv .venv \
    && pip install --no-cache-dir --constraint constraints.txt ./client .
COPY . .
RUN pip install --no-cache-dir --no-deps --editable client --editable .

USER trueward
VOLUME /data
EXPOSE 8421
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8421/health/ready', timeout=4)"]
CMD ["trueward", "serve", "--host", "0.0.0.0", "--port", "8421"]
