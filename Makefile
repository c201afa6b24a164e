# What a developer and CI run; every target makes first what it needs. `make help` tells what there is.

WORKERS ?= 4
RUN_ARGS ?=
PYTEST_ARGS ?=
PLUMBLINE = .venv/bin/plumbline
PYTHON = .venv/bin/python

.PHONY: help setup venv conformance selftest test check lock clean

help: ## tell what there is
	@sed -n "s/^\([a-z]*\):.*## /  make \1 — /p" Makefile

setup: ## install what is missing: Debian packages (as root), .venv, control plane, guest image
	@sh tools/setup/bootstrap.sh

venv:
	@sh tools/setup/bootstrap.sh --only-venv

conformance: setup ## judge the reference implementation on the embedded environment
	$(PLUMBLINE) run --profile all --environment embedded -n $(WORKERS) --out results/conformance $(RUN_ARGS)

selftest: setup ## show that every clause has a defect that its scenarios catch
	$(PLUMBLINE) selftest --out results/selftest

test: setup ## run the tests of the suite and of the reference
	$(PYTHON) -m pytest --junitxml results/test.xml $(PYTEST_ARGS)

check: venv ## format, lint, types, rooms, and the checks of our own
	@$(PYTHON) -m tools.checks

lock: venv ## bring requirements.lock up to date with pyproject.toml
	.venv/bin/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-emit-find-links --no-header --quiet --group dev pyproject.toml -o requirements.lock

clean: ## remove what targets made in the checkout; ~/.cache/plumbline stays
	rm -rf .venv results build *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
