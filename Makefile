# Entry points. The builds themselves are described by CMakeLists.txt and CMakePresets.json.
.DEFAULT_GOAL := help
.PHONY: help bootstrap build demo wheel test check bench verify study reproduce fuzz mutants tidy docs site format install

PREFIX ?= /usr/local
export FUZZ_SECONDS ?= 60
# What the site needs besides: a font for its formulas, and a compiler for the lab.
SITE_PACKAGES = fonts-stix emscripten
# What only `make check` needs: the site's, a browser for the pages, readers of manual pages, shells with completions, a database server, and Java for Spark.
CHECK_PACKAGES = $(SITE_PACKAGES) chromium mandoc man-db zsh fish postgresql openjdk-17-jre-headless

help:       ## Show this list
	@sed -nE 's/^([a-z]+): .*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

bootstrap:  ## Install the Debian packages that are missing
	@tools/bootstrap

build: bootstrap  ## Build the library, the examples and the program build/freegap, optimised
	cmake --preset release
	cmake --build --preset release
	@ln -sfn release/src/cli/freegap build/freegap

demo: bootstrap  ## From made-up transactions to private answers with error bars, the budget kept in a ledger
	@echo "Building build/release/src/cli/freegap"
	@cmake --preset release >/dev/null
	@cmake --build --preset demo -- --quiet
	@ln -sfn release/src/cli/freegap build/freegap
	@examples/demo.sh build/freegap build/demo

wheel: bootstrap  ## Build the Python package as a wheel and an sdist in build/wheel, check it and try it in a clean environment
	@tools/virtual_environment
	tools/make_wheel

test: bootstrap  ## Run the tests of every layer, statistical ones with a tenth of their samples
	@tools/virtual_environment
	cmake --workflow --preset dev

check: bootstrap  ## What CI runs besides: long tests, full samples, a browser, the wheel, clang-tidy, sanitizers
	@tools/bootstrap $(CHECK_PACKAGES)
	@tools/virtual_environment tests/check_requirements.txt
	@tools/virtual_environment --site
	@tools/virtual_environment --tumult
	cmake --workflow --preset check
	@$(MAKE) --no-print-directory tidy
	cmake --workflow --preset asan
	cmake --workflow --preset tsan

bench: bootstrap  ## Time samplers and mechanisms beside plain scans, naive versions and other libraries; ONLY=NAME for some
	cmake --preset release
	cmake --build --preset bench
	$(if $(ONLY),,build/release/bench/samplers)
	bench/ratios.py build/release/bench/ratios $(if $(ONLY),--only $(ONLY))
	$(if $(ONLY),,@tools/virtual_environment)
	$(if $(ONLY),,cmake --preset release -DFREEGAP_BUILD_PYTHON=ON)
	$(if $(ONLY),,cmake --build build/release --target freegap_python)
	$(if $(ONLY),,PYTHONPATH=build/release/python build/venv/bin/python3 python/bench/overhead.py)

verify: bootstrap  ## Run the verification suite, statistical tests at full size and the timing study; then fuzz
	cmake --workflow --preset verify
	build/release/src/cli/freegap verify --html build/verification.html
	cmake --build build/release --target timing_study
	build/release/studies/timing_study --json build/timing.json
	python3 tests/cli/neighbours_test.py build/release/src/cli/freegap 2000
	python3 tests/cli/kills_test.py build/release/src/cli/freegap 5000
	python3 tests/cli/fuzz_test.py build/release/src/cli/freegap 10000
	cmake --workflow --preset fuzz

study: bootstrap  ## Run the study of estimates and error bars; RUNS=N (a million), ONLY=REGEX for some settings, DONE=FILE to go on after an earlier output
	cmake --preset release
	cmake --build build/release --target estimates_study
	build/release/studies/estimates_study --runs $(or $(RUNS),1000000) $(if $(ONLY),--only '$(ONLY)') $(if $(DONE),--done $(DONE)) $(if $(DATA),--data $(DATA))

reproduce: build  ## Run the paper's experiments in full, with figures; DATA=FOLDER for kosarak and the like besides
	build/freegap reproduce --out build/reproduce $(if $(DATA),--data $(DATA))

fuzz: bootstrap  ## Fuzz parsers, candidates and the options of every mechanism, FUZZ_SECONDS (60) each
	cmake --workflow --preset fuzz

mutants: bootstrap  ## Break the library in many ways, one at a time, and see that the tests notice
	tools/mutate.py

tidy: bootstrap  ## Run clang-tidy over the library, its headers and the program
	cmake --preset tidy
	run-clang-tidy -quiet -p build/tidy '^$(CURDIR)/src/'  # not what the build itself writes

docs: bootstrap  ## Write the reference of the public headers to build/docs
	mkdir -p build
	doxygen Doxyfile

site: bootstrap  ## Build the documentation as a site of static files in build/site, with the lab
	@tools/bootstrap $(SITE_PACKAGES)
	@tools/virtual_environment --site
	cmake --preset release
	cmake --build --preset demo
	@$(MAKE) --no-print-directory build/verification.json
	site/lab/build
	build/site-venv/bin/python3 site/build.py --verification build/verification.json --lab build/lab \
	  $(if $(wildcard build/bench/*.svg),--bench build/bench)

build/verification.json: build/release/src/cli/freegap
	$< verify --quick --format json > $@.part && mv $@.part $@

format: bootstrap  ## Format every C++ file in place
	git ls-files -z '*.hpp' '*.cpp' | xargs -0 clang-format -i

install: build  ## Install the program, the library and the documentation under PREFIX (/usr/local)
	cmake --install build/release --prefix $(PREFIX)
