# Needs Python 3.11 or later and make; everything else is set up in .venv, from requirements/ with hashes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.9

.DEFAULT_GOAL := help
.PHONY: help demo run test lint style types imports templates checks format lock screenshots clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "make %-16s %s\n", $$1, $$2 }'

demo: $(VENV)/embedded ## Serve the dashboard with two demo clusters (PORT, DEMO_PASSWORD, DEMO_TOKEN)
	@exec $(BIN)/python manage.py demo

run: $(VENV)/embedded ## Serve the dashboard for your own clusters (SLICEBOARD_CLUSTERS or KUBECONFIG)
	@exec $(BIN)/python manage.py run

test: $(VENV)/dev ## Run the tests that use the database on PostgreSQL, then all of them on SQLite
	$(BIN)/python -m tests.services.postgresql $(BIN)/python -m pytest --numprocesses 2 --dist loadgroup --only-database
	$(BIN)/python -m pytest --numprocesses 2 --dist loadgroup

lint: style types imports templates checks ## All of the following; `make -k lint` goes on after a finding

style: $(VENV)/dev ## Check style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev ## Check types
	$(BIN)/mypy

imports: $(VENV)/dev ## Check which way imports go
	$(BIN)/lint-imports

templates: $(VENV)/dev ## Check templates
	$(BIN)/djlint --quiet --lint templates

# No database is needed; where there is none Django warns that it cannot look at its history.
checks: export SLICEBOARD_SECRET_KEY := for-this-check-only
checks: $(VENV)/dev ## Check settings, and that no migration is missing
	$(BIN)/python manage.py check --fail-level WARNING
	$(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run

format: $(VENV)/dev ## Format the code, and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: $(VENV)/dev ## Resolve requirements/*.in anew, with hashes for every platform
	for set in core embedded dev; do \
	  $(BIN)/uv pip compile requirements/$$set.in --universal --python-version 3.11 --generate-hashes --upgrade \
	    --no-header --no-annotate --no-emit-index-url --no-emit-find-links --quiet -o requirements/$$set.txt || exit 1; \
	done

screenshots: $(VENV)/dev ## Take the pictures of every page in docs/images, of a demo of its own
	$(BIN)/python -m tests.browser.screenshots

clean: ## Remove the state in .state and what tools have left; the environment in .venv stays
	rm -rf .state .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.* coverage.xml
	find . -path ./$(VENV) -prune -o -type d -name __pycache__ -exec rm -rf {} +

$(VENV)/uv:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed, $(PYTHON) is " + sys.version.split()[0] + \
	  ": name another one with PYTHON=...") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@# Only a faster pip: where it cannot be had, pip does the same.
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

# Whoever has the tools of developers keeps them.
$(VENV)/embedded: requirements/embedded.txt | $(VENV)/uv
	@test ! -e $(VENV)/dev || $(MAKE) --no-print-directory $(VENV)/dev
	@test -e $(VENV)/dev || $(call install,embedded)
	@touch $@

$(VENV)/dev: requirements/dev.txt | $(VENV)/uv
	@$(call install,dev)
	@touch $@

install = if test -x $(BIN)/uv; \
  then echo "Installing requirements/$(1).txt with uv"; \
    $(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements/$(1).txt; \
  else echo "Installing requirements/$(1).txt with pip"; \
    $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/$(1).txt; fi
