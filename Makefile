# Short names for the everyday commands. The scripts in tools/ do the work.
.DEFAULT_GOAL := help
.PHONY: help demo test bench bench-compile check format lint sanitize fuzz clean

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' Makefile

demo: ## Build, and let the character model of examples/charlm_mamba write
	@tools/run_demo

test: ## Build, run the tests and, where they are, the conformance suites
	@tools/run_tests

bench: ## Measure the benchmark families beside ONNX Runtime; FAMILIES=gru PRESETS=small,odd restricts
	@tools/bench

bench-compile: ## Measure first runs, kernels compiled and from the disk, and the memory of large runs
	@tools/bench_compile

check: ## Everything: test, the sanitizers, 30 s of each fuzz target
	@PAWL_SANITIZERS=true tools/run_tests

format: ## Format every source file in place
	@tools/format

lint: ## Check the format, the includes between folders, and clang-tidy's advice
	@tools/lint

sanitize: ## The tests under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer
	@tools/sanitize

fuzz: ## Each fuzz target for a minute
	@tools/fuzz 60

clean: ## Remove everything that was built
	rm -rf build
