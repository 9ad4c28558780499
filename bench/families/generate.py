#!/usr/bin/python3
"""Writes benchmark families as ONNX models with data.

    generate.py OUT [--families gru,lstm] [--presets small,medium] [--set T=100,H=33 …]

Makes a folder OUT/<family>_<preset> for each: model.onnx, one Scan; fused.onnx, where ONNX Runtime has an operator that does
the same; inputs, weights and expected outputs as .npy; and case.json, which says what is what and is written last. A folder
that these scripts have written before is kept. --set changes sizes of the presets, and names the folder after them. Presets:
small, medium, large; odd and odd_medium stand for several each, listed in presets.py. Needs numpy and onnx.
"""

import argparse
import hashlib
import json
import pathlib
import shutil
import sys

import numpy as np
import onnx

import families
import graphs
import presets

TOLERANCE = {"float16": 5e-3, "float32": 2e-4, "float64": 1e-12}


def fingerprint():
    """Of all scripts that decide what is written."""
    digest = hashlib.sha256()
    for script in sorted(pathlib.Path(__file__).parent.glob("*.py")):
        if script.name != "report.py":
            digest.update(script.read_bytes())
    return digest.hexdigest()[:16]


def seed_of(family, preset):
    return int.from_bytes(hashlib.sha256(f"{family} {preset}".encode()).digest()[:4], "little")


def in_memory(array, wanted):
    """A sequence as the model takes it: in reverse, or with time on another axis."""
    if wanted["reverse"]:
        array = array[::-1]
    return np.ascontiguousarray(np.moveaxis(array, 0, wanted["axis"]))


def compute(made, wanted):
    """Final states and stacked outputs, by the formula, rounded once to the element type."""
    arrays = {**made.states, **made.scanned, **made.weights}
    if not made.exact:
        arrays = {name: array.astype(np.float64) for name, array in arrays.items()}
    finals, stacked = made.results(arrays)
    outputs = {f"{name}_final": final.astype(made.states[name].dtype) for name, final in zip(made.states, finals)}
    for i, array in enumerate(stacked):
        dtype = array.dtype if array.dtype == np.int64 else made.stacked_type or wanted["dtype"]
        outputs["y" if len(stacked) == 1 else f"y{i}"] = in_memory(array.astype(dtype), wanted)
    return outputs


def save_arrays(folder, kind, arrays):
    listed = []
    for name, array in arrays.items():
        file = f"{kind}_{name}.npy"
        np.save(folder / file, array)
        listed.append({"name": name, "file": file})
    return listed


def write_models(folder, made, wanted, scanned, outputs):
    """model.onnx, and fused.onnx where there is one and data lies as its operator wants it. How many nodes a step has."""
    inputs = {**made.states, **scanned}
    node, operations = graphs.scan(made.body, made.states, scanned, outputs, wanted["axis"], wanted["reverse"])
    model = graphs.model([node], inputs, outputs, made.weights)
    onnx.checker.check_model(model)
    onnx.save(model, folder / "model.onnx")
    models = {"scan": "model.onnx"}
    if made.fused and not wanted["reverse"] and wanted["axis"] == 0 and wanted["dtype"] == "float32":
        nodes = graphs.Nodes("main_")
        domains = made.fused(nodes)
        fused = graphs.model(nodes.nodes, inputs, outputs, {**made.weights, **made.fused_weights}, domains)
        if not domains:
            onnx.checker.check_model(fused)
        onnx.save(fused, folder / "fused.onnx")
        models["fused"] = "fused.onnx"
    return models, operations


def write_case(folder, family, preset, wanted, mark):
    made = families.make(family, wanted["sizes"], wanted["dtype"], seed_of(family, preset))
    scanned = {name: in_memory(array, wanted) for name, array in made.scanned.items()}
    outputs = compute(made, wanted)
    models, operations = write_models(folder, made, wanted, scanned, outputs)
    inputs = {**made.states, **scanned}
    case = {
        "family": family,
        "preset": preset,
        **wanted,
        "steps": wanted["sizes"][presets.steps_of(family)],
        "body_nodes": operations,
        "exact": made.exact,
        "tolerance": 0 if made.exact else max(TOLERANCE.get(a.dtype.name, 0) for a in outputs.values()),
        "bytes": sum(a.nbytes for group in (inputs, made.weights, outputs) for a in group.values()),
        "operations": made.operations,
        "models": models,
        "inputs": save_arrays(folder, "in", inputs),
        "weights": save_arrays(folder, "weight", made.weights),
        "outputs": save_arrays(folder, "out", outputs),
        "made_by": mark,
    }
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")


def ensure_case(out, family, preset, changes, mark):
    wanted = presets.look_up(family, preset)
    for size, value in changes.items():
        if size not in wanted["sizes"]:
            sys.exit(f"error: {family} has no size {size}; it has {', '.join(wanted['sizes'])}")
        wanted["sizes"][size] = value
    if changes:
        wanted["goal"] = None
        preset = "_".join([preset] + [f"{size}{value}" for size, value in changes.items()])
    folder = out / f"{family}_{preset}"
    try:
        kept = json.loads((folder / "case.json").read_text())["made_by"] == mark
    except (OSError, ValueError, KeyError):
        kept = False
    if not kept:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        write_case(folder, family, preset, wanted, mark)
    print(folder, "" if kept else "(written)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--families", default="all", help="comma-separated; all: those with goals; more: others")
    parser.add_argument("--presets", default="small,medium,large", help="comma-separated")
    parser.add_argument("--set", default="", help="sizes that differ from the preset's: T=100,C=7")
    options = parser.parse_args()
    changes = {size: int(value) for size, value in (each.split("=") for each in options.set.split(",") if each)}
    named = [each for name in options.presets.split(",") for each in presets.SETS.get(name, [name])]
    mark = fingerprint()
    for family in [each for name in options.families.split(",") for each in presets.FAMILIES.get(name, [name])]:
        if family not in presets.PRESETS:
            sys.exit(f"error: there is no family {family}; there are {', '.join(presets.PRESETS)}")
        for preset in named:
            if preset not in presets.PRESETS[family] and preset not in presets.VARIANTS:
                sys.exit(f"error: there is no preset {preset}")
            ensure_case(options.out, family, preset, changes, mark)


if __name__ == "__main__":
    main()
