# Two commands do everything: `make lab` opens the course, `make test` runs every test.
.DEFAULT_GOAL := help
.PHONY: help lab test suite check lint types doctests kernels maths portable bench soak notebooks instructor exercises site \
    slides lite pictures pins release clean
export PYTHON
export PYTHONDONTWRITEBYTECODE :=  # where it is set, each of hundreds of processes compiles the package again
bin := .venv/bin

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' Makefile

lab:  ## Open the course in JupyterLab
	@sh tools/environment.sh lab
	@$(bin)/python -P -m bflo_viz lab

test:  ## Run every check, test and notebook (five minutes on two cores)
	@sh tools/environment.sh test
	@$(MAKE) --no-print-directory -j4 check kernels
	@$(MAKE) --no-print-directory suite

suite: kernels  ## Run every test and notebook
	OPENBLAS_NUM_THREADS=1 $(bin)/python -m pytest --numprocesses 4 --dist loadfile --no-loadscope-reorder

maths:  ## Run the tests of the mathematics alone: flows, beliefs, models, learners
	@sh tools/environment.sh test
	OPENBLAS_NUM_THREADS=1 $(bin)/python -m pytest --numprocesses 2 --dist loadfile tests/test_*.py

portable:  ## Run the notebooks and what else could notice as on other processors, and without numba
	@sh tools/environment.sh test
	@$(bin)/python tools/portable.py

check: lint types doctests  ## Run the linters, the type checker, the import rule and the doctests

lint:
	@sh tools/environment.sh test
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/lint-imports

types:
	@sh tools/environment.sh test
	$(bin)/mypy

doctests:
	@sh tools/environment.sh test
	$(bin)/python -m pytest --doctest-modules bflo_viz

kernels:  # once, and not in each of the processes that test; the same for the tests
	@sh tools/environment.sh test
	@$(bin)/python tests/compile_kernels.py
	@$(bin)/python -m pytest --collect-only >/dev/null 2>&1 || true

bench:  ## Measure the speed, each ratio side by side in one run, and write docs/SPEED.md
	@sh tools/environment.sh test
	@$(bin)/python benchmarks/run.py

soak:  ## Run what needs minutes: a million updates, other seeds, kills, leaks, other cases of the figures
	@sh tools/environment.sh places
	OPENBLAS_NUM_THREADS=1 $(bin)/python -m pytest -m slow --numprocesses 2 --dist loadfile tests

notebooks:  ## Execute every notebook and save it; cells of exercises go back to their stubs
	@sh tools/environment.sh test
	$(bin)/python tools/execute_notebooks.py notebooks/*.ipynb

instructor:  ## Write the notebooks with solutions and hints into the folder instructor/
	@sh tools/environment.sh test
	$(bin)/python tools/execute_notebooks.py --instructor instructor notebooks/*.ipynb

exercises:  ## Print every exercise with what its check says of solution, stub and mistakes
	@sh tools/environment.sh test
	@$(bin)/python tools/exercise_table.py

site:  ## Write the course as web pages that need no server into the folder site/
	@sh tools/environment.sh test
	@$(bin)/python tools/site.py site

slides:  ## Write every lesson as slides into the folder slides/
	@sh tools/environment.sh test
	@$(bin)/python tools/slides.py slides

lite:  ## Build the course for JupyterLite into the folder lite/ (needs a network)
	@sh tools/environment.sh lab
	@$(bin)/python tools/lite.py lite

pictures:  ## Draw the pictures of the README and the handout
	@sh tools/environment.sh test
	@$(bin)/python tools/pictures.py

pins:  ## Resolve constraints.txt anew, for every platform and Python
	@sh tools/environment.sh dev
	$(bin)/uv pip compile pyproject.toml --universal --all-extras --upgrade --no-annotate --no-header \
	    --no-emit-package bflo-viz --quiet --output-file constraints.txt

release:  ## Build the wheel and the source archive, check them, and try the wheel in an empty environment
	@sh tools/environment.sh test
	@$(bin)/python tools/release.py

clean:  ## Remove the environment and every cache
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
