# Everything a person types. Settings are given as arguments: make run DIR=/data/output PORT=8050
# (assigned with =, so that a variable of the same name in the environment changes nothing).
DIR =
PORT = 8050
HOST = 127.0.0.1
PYTEST =
MINUTES = 10
RECORD =
ONLY =
export DIR PORT HOST PYTEST MINUTES ONLY

PY := .venv/bin/python

.PHONY: help run test check bench screens conformance fuzz clean

help: ## say what can be made
	@grep -E '^[a-z]+:.*## ' Makefile | sed 's/:.*## /\t/' | awk -F'\t' '{ printf "make %-13s%s\n", $$1, $$2 }'

run: .venv/run.stamp ## follow DIR=path (without it: a demonstration run) and show it on PORT=8050
	@exec $(PY) -S app/launch/tether.py $$PPID $(PY) -m app --port "$$PORT" --host "$$HOST" $${DIR:+-- "$$DIR"}

test: check ## lint, types, then every test with real files, Redis, processes and Chromium
	@.ci/tools
	@$(PY) -m pytest $$PYTEST

check: .venv/test.stamp ## lint, types and bandit alone
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@$(PY) -m bandit --quiet --recursive app collector

bench: .venv/test.stamp ## compare our speed with others', side by side; RECORD=1 writes BENCHMARKS.md, ONLY=word picks
	@$(PY) -m tests.bench --only "$$ONLY" $(if $(RECORD),--record)

screens: .venv/test.stamp ## take a picture of every main state into DIR=screens, ONLY=word picks
	@$(PY) -m tests.screens "$${DIR:-screens}" "$$ONLY"

conformance: .venv/test.stamp ## hold our values against TensorBoard's and MindInsight's, point by point
	@$(PY) -m tests.conformance

fuzz: .venv/test.stamp ## try inputs that nobody would write on every parser, for MINUTES=10
	@$(PY) -m tests.fuzz --minutes "$$MINUTES"

clean: ## remove the virtual environment and every cache (never data)
	@rm -rf .venv .venv-bench-* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/run.stamp: requirements.txt .ci/setup
	@.ci/setup $@ requirements.txt

.venv/test.stamp: requirements.txt tests/requirements.txt .ci/setup
	@.ci/setup $@ requirements.txt tests/requirements.txt
	@touch .venv/run.stamp
