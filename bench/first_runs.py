#!/usr/bin/python3
"""Measures first runs of the benchmark families, each in a process of its own, and writes two pages.

    first_runs.py CASES [--program build/release/bench/first_run] [--rounds 7] [--to docs/benchmarks]

CASES are folders that bench/families/generate.py wrote: small presets tell what a first run costs, large ones what memory it
takes. Three ways in turns: by the evaluator, with kernels compiled (an empty folder of kernels), with kernels from the disk.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import tempfile

FAMILIES = ["cumsum", "affine", "ema", "mingru", "mamba1", "gru", "lstm", "biquad", "viterbi", "pairwise", "linattn", "runmax",
            "rnn", "forward", "deltanet", "linattn_f16"]
WAYS = ["reference", "compiled", "disk"]
COMPILE_PAGE = """# First runs

`make bench-compile` wrote this page: the small preset of each benchmark family, loaded, compiled and run once in a fresh process,
{rounds} times in each of three ways, in turns. Milliseconds, the least of each; {machine}, one thread, load average {load}.

- **reference**: by the evaluator (`Kernels::off`): the model's load, and its first run.
- **compiled**: the folder of kernels is empty. The compiler is loaded (its file is in the kernel's cache), kernels are
  generated, compiled, written to the disk and run.
- **from the disk**: the same, with the folder that the run before has left.

What counts is load and first run together less the reference's load. "Processor" is the same in time of the processor, which
other work on the machine disturbs less.

| family | nodes of the body | reference: load | first run | compiled: beyond that load | processor | from the disk: beyond that load | processor |
|---|---|---|---|---|---|---|---|
{rows}

The largest: {cold[0]:.1f} ms compiled ({cold[1]:.1f} of the processor's), {disk[0]:.1f} ms from the disk ({disk[1]:.1f}). Where a product of matrices lies outside of the loop
(mingru, gru, lstm, rnn), 2 ms of that are oneDNN's: its library is loaded, and generates code for the product. The reference's first run has them too.
"""
MEMORY_PAGE = """# Memory

`make bench-compile` wrote this page: the most memory that was resident (`VmHWM`) in a fresh process that loads the large preset of
each benchmark family and runs it once, with two threads, less inputs, outputs and weights. MB; {machine}.

| family | inputs, outputs, weights | from the disk: beyond | compiled: beyond |
|---|---|---|---|
{rows}

- 12 MB are the program, its libraries and what it knows of operators; oneDNN adds 4 to 10 where it is called.
- gru, lstm, mingru, rnn: weights are there once more as kernels and oneDNN want them; products that do not depend on states are made for all steps
  before the loop, or, where that is more than 16 MB, for blocks of steps of 1 MB.
- **compiled** has LLVM in it: some 36 MB of its code and constants are resident while it works. They go back to the kernel's cache of files with each
  kernel that is done, before outputs are made, so that they count only where outputs and what is kept are smaller than that.
"""


def run(program, case, way, threads, folder):
    facts = json.loads((case / "case.json").read_text())
    command = [str(program), str(case / "model.onnx"), "--threads", str(threads), "--kernels", "off" if way == "reference" else "on"]
    command += [str(case / each["file"]) for each in facts["inputs"]]
    done = subprocess.run(command, env={**os.environ, "XDG_CACHE_HOME": folder}, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def in_turns(program, case, threads, rounds, ways=WAYS):
    """The least of each figure, by way."""
    least = {way: {} for way in ways}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            for way in ways:
                for name, figure in run(program, case, way, threads, folder).items():
                    least[way][name] = min(figure, least[way].get(name, figure))
    return least


def total(figures, kind="", parts=("load", "compile", "first")):
    return sum(figures[f"{part}_{kind}ms"] for part in parts)


def compile_page(program, cases, rounds):
    rows, cold, disk = [], [], []
    for family in FAMILIES:
        case = cases / f"{family}_small"
        least = in_turns(program, case, 1, rounds)
        load, load_cpu = (total(least["reference"], kind, ("load", "compile")) for kind in ("", "cpu_"))
        beyond = [total(least[way]) - load for way in WAYS[1:]]
        beyond_cpu = [total(least[way], "cpu_") - load_cpu for way in WAYS[1:]]
        cold.append((beyond[0], beyond_cpu[0]))
        disk.append((beyond[1], beyond_cpu[1]))
        nodes = json.loads((case / "case.json").read_text())["body_nodes"]
        rows.append(f"| {family} | {nodes} | {load:.1f} | {least['reference']['first_ms']:.1f} | {beyond[0]:.1f} | {beyond_cpu[0]:.1f} "
                    f"| {beyond[1]:.1f} | {beyond_cpu[1]:.1f} |")
        print(rows[-1], flush=True)
    return COMPILE_PAGE.format(rounds=rounds, rows="\n".join(rows), cold=[max(each) for each in zip(*cold)],
                               disk=[max(each) for each in zip(*disk)], machine=machine(), load=f"{os.getloadavg()[1]:.1f}")


def memory_page(program, cases):
    rows = []
    for family in FAMILIES:
        case = cases / f"{family}_large"
        least = in_turns(program, case, 2, 1, WAYS[1:])
        size = json.loads((case / "case.json").read_text())["bytes"] / 1e6
        beyond = {way: least[way]["peak_kb"] * 1024 / 1e6 - size for way in WAYS[1:]}
        rows.append(f"| {family} | {size:.1f} | {beyond['disk']:.0f} | {beyond['compiled']:.0f} |")
        print(rows[-1], flush=True)
    return MEMORY_PAGE.format(rows="\n".join(rows), machine=machine())


def machine():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    name = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown processor")
    return f"{datetime.date.today()}, {len(os.sched_getaffinity(0))} cores of {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, default="build/release/bench/first_run")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--to", type=pathlib.Path)
    arguments = parser.parse_args()
    pages = {"compile.md": compile_page(arguments.program, arguments.cases, arguments.rounds),
             "memory.md": memory_page(arguments.program, arguments.cases)}
    for name, text in pages.items():
        if arguments.to:
            (arguments.to / name).write_text(text)
        else:
            print(text)


if __name__ == "__main__":
    main()
