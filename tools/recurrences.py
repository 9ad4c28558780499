#!/usr/bin/env python3
"""The recurrences of examples/recurrences: their table and their cases.

    tools/recurrences.py table [--check] [PAWL]   docs/recurrences.md, from what `pawl explain --json` says
    tools/recurrences.py cases [--check]          tests/cases/scan/recurrences.case: random inputs, and the outputs by the
                                                  formulas of tools/recurrence_formulas.py (needs numpy)

With --check nothing is written; exit 1 when the file is not what it would be. A model's comment has its title, its
formula, and the extents that the table is made for.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ROOT / "examples" / "recurrences"
THREADS = "2"


def header(path):
    """title, formula, extents: from the comment in front of a model."""
    lines = [line[1:].strip() for line in path.read_text().splitlines() if line.startswith("#")]
    return lines[0].rstrip("."), lines[1], lines[2].split()


def explain(pawl, model, extents):
    arguments = [pawl, "explain", str(model), "--json", "--threads", THREADS]
    for extent in extents:
        arguments += ["--dim", extent]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["scans"]


def classes(scan):
    words = []
    for component in scan["components"]:
        word = component["class"]
        if component.get("rank_one"):
            word += ", rank-1"
        if component.get("masked") and not word.startswith("arg-"):
            word = "masked " + word
        if component.get("reset") and not word.startswith("arg-"):
            word += " with reset"
        words.append(word)
    return "; ".join(counted(words)) or "map"


def counted(words):
    """ "3 delay" for three of the same in a row."""
    runs = []
    for word in words:
        if runs and runs[-1][0] == word:
            runs[-1][1] += 1
        else:
            runs.append([word, 1])
    return [word if count == 1 else f"{count} {word}" for word, count in runs]


def row(name, formula, scan):
    moved = {what: sum(note["what"] == what for note in scan["notes"]) for what in ("hoisted", "sunk")}
    return f"| {name} | {formula} | {classes(scan)} | {scan['plan']['strategy']} | {moved['hoisted']} | {moved['sunk']} |"


TABLE_HEAD = """# Recurrences

What `pawl explain` says of the models in `examples/`, for two threads. Made by `tools/recurrences.py table`; a test holds it to what the program says.
*Hoisted* and *sunk* count the nodes that left the loop. The extents are those in the comment of each model.

| model | a step | class | plan | hoisted | sunk |
|---|---|---|---|---|---|
"""


def table(pawl):
    rows = []
    for path in sorted(MODELS.glob("*.onnxtxt")):
        title, formula, extents = header(path)
        for scan in explain(pawl, path, extents):
            rows.append(row(f"[{title}](../examples/recurrences/{path.name})", f"`{formula}`", scan))
    for scan in explain(pawl, ROOT / "examples" / "charlm_mamba" / "model.onnx", []):
        rows.append(row("[Character model](../examples/charlm_mamba/README.md), " + scan["label"], "selective scan", scan))
    return TABLE_HEAD + "\n".join(rows) + "\n"


def inputs_of(path):
    """name, type, symbols of each input, from the model's first line."""
    text = re.sub(r"^#.*\n", "", path.read_text(), flags=re.M)
    signature = text[text.index(">") + 1 : text.index("=>")]
    return [
        (name, dtype, [dim for dim in (dims or "").split(",") if dim])
        for dtype, dims, name in re.findall(r"(\w+)(?:\[([\w,]*)\])? (\w+)", signature[signature.index("(") :])
    ]


def cases():
    import numpy as np

    import recurrence_formulas

    text = "# Made by tools/recurrences.py cases: random inputs, and outputs by numpy, step by step, in double.\n"
    for number, path in enumerate(sorted(MODELS.glob("*.onnxtxt"))):
        title, formula, extents = header(path)
        example = recurrence_formulas.EXAMPLES[path.stem]
        random = np.random.default_rng(number)
        values = {}
        for name, dtype, dims in inputs_of(path):
            shape = [int(dim) if dim.isdigit() else example.extents[dim] for dim in dims]
            values[name] = draw(np, random, dtype, shape, *example.ranges.get(name, (-2, 2)))
        with np.errstate(all="ignore"):
            outputs = example.step_by_step(*(v.astype(float) if v.dtype.kind == "f" else v for v in values.values()))
        text += f"\n=== {title[0].lower() + title[1:]}: {formula}\n--- model \"../../../examples/recurrences/{path.name}\"\n"
        text += "".join(f"--- tolerance {example.tolerance}\n" if example.tolerance else "")
        text += "--- input\n" + "".join(f"{name} = {literal(value)}\n" for name, value in values.items())
        text += "--- output\n" + "".join(f"{name} = {literal(np.asarray(value))}\n" for name, value in outputs.items())
        text += f"--- dims {' '.join(extents)}\n"
        text += f"--- expect class {example.classes}\n" if example.classes else ""
        text += "".join(f'--- expect explain "{words}"\n' for words in example.explained)
    return text


def draw(np, random, dtype, shape, low, high):
    if dtype == "bool":
        return random.random(shape) < 0.4
    if dtype.startswith("int"):
        return random.integers(low, high, shape)
    return np.round(random.uniform(low, high, shape), 2).astype(np.float32)


def literal(value):
    def words(item):
        if isinstance(item, list):
            return "[" + ", ".join(words(each) for each in item) + "]"
        if isinstance(item, bool):
            return "true" if item else "false"
        return f"{item:.{digits}g}"

    digits = 7 if value.dtype == "float32" else 8
    return words(value.tolist())


def main(arguments):
    check = "--check" in arguments
    arguments = [each for each in arguments if each != "--check"]
    if arguments[:1] == ["table"]:
        target = ROOT / "docs" / "recurrences.md"
        text = table(arguments[1] if len(arguments) > 1 else str(ROOT / "build" / "dev" / "cli" / "pawl"))
    elif arguments == ["cases"]:
        target = ROOT / "tests" / "cases" / "scan" / "recurrences.case"
        text = cases()
    else:
        sys.exit(__doc__)
    if not check:
        target.write_text(text)
    elif not target.exists() or target.read_text() != text:
        sys.exit(f"{target.relative_to(ROOT)} is not up to date: run tools/recurrences.py {arguments[0]}")


if __name__ == "__main__":
    main(sys.argv[1:])
