#!/usr/bin/python3
"""Turns what measure_families wrote into a table, and a chart.

    report.py RESULTS.json [--to docs/benchmarks]

Prints the tables, or writes families.md and families.svg into a folder.
"""

import argparse
import collections
import datetime
import json
import math
import pathlib
import subprocess

import chart

PRESETS = ["small", "medium", "large"]


class Run:
    """One case with one number of threads."""

    def __init__(self, line):
        self.case = line["case"]
        self.family, self.preset, self.threads = self.case["family"], self.case["preset"], line["threads"]
        self.times = {name: timing["best_ms"] for name, timing in line.get("times", {}).items()}
        self.notes = line["notes"]
        goals = self.case["goal"]
        self.goal = goals[self.threads - 1] if goals and self.threads <= len(goals) else None

    def ratio(self, slow, fast):
        """How many times faster `fast` is; None where one of them did not run."""
        if slow not in self.times or fast not in self.times:
            return None
        return self.times[slow] / self.times[fast]

    def rate(self, name):
        """Bytes that must move at least, in GB a second."""
        return self.case["bytes"] / self.times[name] / 1e6 if name in self.times else None


def read(path):
    machine, runs = {}, []
    for line in map(json.loads, path.read_text().splitlines()):
        if "machine" in line:
            machine = line["machine"]
        else:
            runs.append(Run(line))
    return machine, runs


def number(value, digits=3):
    if value is None:
        return ""
    if value >= 10**digits:
        return f"{value:.0f}"
    return f"{value:.{digits}g}"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def table(header, rows):
    """Columns that are empty in all rows are left out."""
    rows = list(rows)
    kept = [i for i in range(len(header)) if any(row[i] for row in rows)]
    lines = [[header[i] for i in kept], *([row[i] for i in kept] for row in rows)]
    text = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([text[0], "|" + "---|" * len(kept), *text[1:]])


HEADER = ["family", "threads", "Scan", "fused", "by hand", "pawl", "Scan ÷ pawl", "goal", "Scan ÷ by hand", "pawl ÷ by hand"]


def times_table(runs):
    rows = []
    for run in runs:
        cells = [run.family, str(run.threads)]
        cells += [number(run.times.get(name)) for name in ("ort", "fused", "hand", "pawl")]
        cells += [number(run.ratio("ort", "pawl")), number(run.goal), number(run.ratio("ort", "hand"))]
        rows.append(cells + [number(run.ratio("pawl", "hand"))])
    return table(HEADER, rows)


def summary_table(runs):
    """Ratios against goals: by preset and threads."""
    groups = collections.defaultdict(list)
    for run in runs:
        if run.goal and run.ratio("ort", "pawl"):
            groups[run.preset, run.threads].append(run)
    rows = []
    for (preset, threads), group in groups.items():
        reached = {run: run.ratio("ort", "pawl") / run.goal for run in group}
        lowest = min(group, key=reached.get)
        by_hand = [run.ratio("ort", "hand") / run.goal for run in group if run.ratio("ort", "hand")]
        rows.append(
            [
                preset,
                str(threads),
                number(geometric_mean([run.ratio("ort", "pawl") for run in group])),
                number(geometric_mean([run.goal for run in group])),
                number(geometric_mean(reached.values())),
                f"{lowest.family} {number(reached[lowest], 2)}",
                number(geometric_mean(by_hand)) if by_hand else "",
            ]
        )
    header = ["preset", "threads", "Scan ÷ pawl", "goal", "of the goal", "the lowest", "by hand, of the goal"]
    return table(header, rows) if rows else ""


def bandwidth_table(runs):
    rows = []
    for run in runs:
        if run.family in ("cumsum", "affine") and run.preset == "large" and "copy" in run.times:
            rates = [run.rate(name) for name in ("copy", "hand", "pawl")]
            part = run.ratio("copy", "pawl")
            rows.append([run.family, str(run.threads), *(number(rate) for rate in rates), number(part)])
    return table(["family", "threads", "a copy, GB/s", "by hand", "pawl", "pawl ÷ copy"], rows) if rows else ""


def sizes_table(runs):
    rows = {}
    for run in runs:
        sizes = " ".join(f"{name}{value}" for name, value in run.case["sizes"].items())
        rows[run.family, run.preset] = [
            run.family,
            run.preset,
            sizes,
            str(run.case["body_nodes"]),
            number(run.case["bytes"] / 1e6),
            number(run.case["operations"] / 1e6),
        ]
    return table(["family", "preset", "sizes", "nodes of a step", "MB in and out", "million operations"], rows.values())


def notes(runs):
    lines = []
    for run in runs:
        for name, note in run.notes.items():
            lines.append(f"- {run.family} {run.preset}, {run.threads} threads, {name}: {note}")
    return "\n".join(lines)


def revision():
    """The commit that is checked out."""
    command = ["git", "-C", pathlib.Path(__file__).parent, "describe", "--always", "--dirty", "--exclude", "*"]
    return subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True).stdout.strip()


def described(machine):
    peaks = ", ".join(
        f"{number(peak / 1e9)} with {threads}" for threads, peak in machine.get("peak_operations", {}).items()
    )
    load = f"; load average {number(machine['load'], 2)} when it began" if "load" in machine else ""
    return (
        f"{datetime.date.today().isoformat()}, pawl {revision()}, ONNX Runtime {machine.get('ort', '')}. "
        f"{machine.get('processor', '')}{load}. Peak of float32 products and sums, Gflop/s: {peaks} threads."
    )


def sections(runs):
    """The tables of times, one for each preset."""
    text = []
    for preset in dict.fromkeys(run.preset for run in runs):
        text += [f"## {preset.capitalize()}", times_table([run for run in runs if run.preset == preset])]
    return text


INTRODUCTION = """# The benchmark families

`make bench` wrote this page. Each family is a model with one Scan, made by `bench/families/generate.py` together with data and the
results of an independent formula, which every candidate is checked against before it is measured. Candidates run in turns in one process,
with inputs and outputs that stay where they are; a pass is a tenth of a second of runs, its time the median of them. Times are
those of the best pass, in milliseconds:

- **Scan**: the model in ONNX Runtime, through its C interface; **fused**: its own operator for the same, where there is one
- **by hand**: C++ written for the family (`bench/families/kernels_*.cpp`)
- **pawl**: the model in pawl, each run with the memory of the outputs before (`RunOptions::reuse`)

A **goal** is how many times faster than ONNX Runtime's Scan a kernel written by hand was on a machine of this kind."""


def page(machine, runs):
    text = [INTRODUCTION, described(machine), "![Ratios as bars](families.svg)", summary_table(runs)]
    bandwidth = bandwidth_table(runs)
    if bandwidth:
        text += ["A copy of as many bytes, beside them, in the same turns:", bandwidth]
    text += sections(runs) + ["## Sizes", sizes_table(runs)]
    if notes(runs):
        text += ["## What did not run", notes(runs)]
    return "\n\n".join(part for part in text if part) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path)
    options = parser.parse_args()
    machine, runs = read(options.results)
    if options.to is None:
        parts = [*sections(runs), summary_table(runs), bandwidth_table(runs), notes(runs)]
        print("\n\n".join(part for part in parts if part))
        return
    options.to.mkdir(parents=True, exist_ok=True)
    (options.to / "families.md").write_text(page(machine, runs))
    (options.to / "families.svg").write_text(chart.draw(runs, PRESETS))
    print(f"written: {options.to}/families.md and families.svg")


if __name__ == "__main__":
    main()
