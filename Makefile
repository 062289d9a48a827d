# `make lab` opens the course, `make test` runs every test. Both install what they need into .venv, once.
.DEFAULT_GOAL := help
.PHONY: help lab test check portable bench soak notebooks site slides lite pins clean
python := OPENBLAS_NUM_THREADS=1 .venv/bin/python
pytest := $(python) -m pytest --dist loadfile --no-loadscope-reorder --numprocesses
works = $(shell $(1) -c 'import sys, venv, ensurepip; sys.version_info >= (3, 11) and print(sys.executable)' 2>/dev/null)
found = $(firstword $(foreach name,$(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11),$(call works,$(name))))
none = $(error No Python 3.11 or newer with its venv module was found: install one \
	(Debian, Ubuntu: sudo apt install python3-venv), or name yours with  make PYTHON=/path/to/python)

.venv/%.installed: pyproject.toml constraints.txt
	$(if $(wildcard .venv/bin/pip),,$(or $(found),$(none)) -m venv .venv)
	.venv/bin/python -m pip install --disable-pip-version-check --quiet -c constraints.txt -e '.[$*]'
	@touch $@

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' Makefile
lab: .venv/lab.installed  ## Open the course in JupyterLab
	@.venv/bin/python -m bflo_viz lab
test: check  ## Run every check, test and notebook
	$(python) tests/compile_kernels.py
	$(pytest) 4
check: .venv/test.installed  ## Run the linters, the type checker, the import rule and the doctests
	$(python) -m ruff check
	$(python) -m ruff format --check
	.venv/bin/lint-imports
	$(python) -m mypy
	$(python) -m pytest --doctest-modules bflo_viz
portable: .venv/test.installed  ## Run learners and notebooks as on an old processor, and the mathematics without numba
	NUMBA_CPU_NAME=generic OPENBLAS_CORETYPE=Nehalem NPY_DISABLE_CPU_FEATURES="$$($(python) -c \
	    'from numpy._core._multiarray_umath import __cpu_dispatch__; print(*__cpu_dispatch__)')" \
	    $(pytest) 2 tests/test_*.py notebooks
	mkdir -p build/hidden && echo 'raise ImportError("numba is hidden")' > build/hidden/numba.py
	PYTHONPATH=build/hidden $(pytest) 2 $(wildcard tests/test_flows.py tests/test_belief*.py tests/test_pseudo.py tests/test_models.py)
bench: .venv/test.installed  ## Measure the speed, each ratio side by side in one run, and write docs/SPEED.md
	$(python) benchmarks/run.py
soak: .venv/test.installed  ## Run what takes longer: a million updates, other seeds, the wheel in an empty environment
	$(pytest) 2 -m slow tests
notebooks: .venv/test.installed  ## Execute every notebook and save it
	$(python) tools/execute_notebooks.py notebooks/*.ipynb
site: .venv/test.installed  ## Write the course as web pages that need no server into the folder site/
	$(python) tools/site.py site
slides: .venv/test.installed  ## Write every lesson as slides into the folder slides/
	$(python) tools/slides.py slides
lite: .venv/test.installed  ## Build the course for JupyterLite into the folder lite/ (needs a network)
	$(python) tools/lite.py lite
pins: .venv/test.installed  ## Resolve constraints.txt anew, for every platform and Python
	.venv/bin/python -m pip install --quiet uv
	.venv/bin/uv pip compile pyproject.toml --universal --all-extras --upgrade --no-annotate --no-header \
	    --no-emit-package bflo-viz --quiet --output-file constraints.txt
clean:  ## Remove the environment and every cache
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
