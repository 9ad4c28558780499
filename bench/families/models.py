#!/usr/bin/python3
"""Measures a folder of models beside ONNX Runtime, and writes a page.

    models.py MODELS --ort LIBRARY [--program build/release/bench/measure_models] [--to docs/benchmarks/models.md]

Each model is MODELS/<name>/model.onnx with its data in test_data_set_0, the layout of ONNX's backend tests. A symbol of --dim is
filled by repeating the data. Models that are not there are left out.
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import tempfile

TORCH_LOOPS = ["biquad", "cum_matmul_3x3", "kalman_cv", "lnlstm", "masked_gru_lengths", "rglru", "rnn_buf", "slstm_cell_loop",
               "viterbi", "wkv4"]
STATES = ["--state", "conv_state=conv_state_out", "ssm_state=ssm_state_out"]
SECTIONS = [
    ("A character model (Mamba)", [("charlm_mamba", ["T=512"], []), ("charlm_mamba", ["T=1"], STATES)]),
    ("Loops of torch.jit", [(f"torchjit__{name}", [f"T={steps}"], ["--rounds", "3"])
                            for name in TORCH_LOOPS for steps in (1000, 8000)] + [("torchjit__rk4_neural_ode", [], [])]),
    ("Scans of torch.export", [(f"torch_{name}", [], []) for name in (
        "biquad", "cumsum", "ema_reverse", "gated_deltanet", "gru_scan", "lstm_scan", "mamba_block")]),
    ("Others", [(name, [], []) for name in (
        "tract__qlstm_3-2-3_T3_S1", "skl__cdist_euclidean", "skl__cdist_manhattan", "skl__cdist_minkowski", "skl__gpr_matern05",
        "skl__knn_cls_iris_euclid", "skl__knn_cls_iris_minkowski3", "skl__knn_reg_diabetes_f64", "skl__pdist_f32", "skl__pdist_f64",
        "ort__fp16model_loop", "pinto__Loop_1_16", "pinto__Loop_3_16", "burn__loop_nested", "ort__crop_and_resize",
        "onnxdiag__attention_loopa24")]),
]


def measure(program, folder, library, name, dims, extra):
    """The lines of JSON that measure_models gives."""
    with tempfile.NamedTemporaryFile("r") as file:
        command = [program, str(folder / name / "model.onnx"), "--name", name, "--data", str(folder / name / "test_data_set_0"),
                   "--ort", library, "--json", file.name, *extra]
        subprocess.run(command + (["--dim", *dims] if dims else []), stdout=subprocess.DEVNULL, check=False)
        return [json.loads(line) for line in file]


def number(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def row(line):
    times = {name: time["best_ms"] for name, time in line.get("times", {}).items()}
    ratio = number(times["ort"] / times["pawl"]) if {"ort", "pawl"} <= times.keys() else ""
    scans = line.get("scans", [])
    is_kernel = [": one kernel" in scan for scan in scans]
    others = sorted({scan.split(": ", 1)[1] for scan, fine in zip(scans, is_kernel) if not fine})
    kernels = f"{sum(is_kernel)} of {len(scans)}" if scans else "no Scan"
    notes = others + [f"{name} {note}" for name, note in line["notes"].items()]
    cells = [line["model"], " ".join(line["dims"]), line["threads"], *(number(times[name]) if name in times else "" for name in ("ort", "pawl")),
             ratio, kernels, "; ".join(notes)]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--ort", required=True)
    parser.add_argument("--program", default="build/release/bench/measure_models")
    parser.add_argument("--to", type=pathlib.Path)
    arguments = parser.parse_args()
    page = []
    for title, models in SECTIONS:
        page += ["", f"## {title}", "", "| model | dims | threads | ONNX Runtime | pawl | ratio | Scans as kernels | |",
                 "|---|---|---|---|---|---|---|---|"]
        for name, dims, extra in models:
            if not (arguments.models / name).is_dir():
                continue
            page += [row(line) for line in measure(arguments.program, arguments.models, arguments.ort, name, dims, extra)]
            print(page[-1], flush=True)
    text = f"{datetime.date.today()}\n" + "\n".join(page) + "\n"
    print(text)
    if arguments.to:
        before = arguments.to.read_text().split("<!-- measured -->")[0] if arguments.to.exists() else ""
        arguments.to.write_text(before + "<!-- measured -->\n" + text)


if __name__ == "__main__":
    main()
