"""examples/python print what their README says."""

import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

FOLDER = ROOT / "examples/python"
SHARED = os.environ.get("PAWL_SHARED", str(ROOT.parent / "shared"))
MODELS = {
    "knn.py": f"{SHARED}/models/skl__knn_cls_iris_euclid/model.onnx",
    "mamba_block.py": f"{SHARED}/models/torch_mamba_block/model.onnx",
    "stream.py": str(ROOT / "examples/charlm_mamba/model.onnx"),
}
# Times, plans, and what hangs on the last bits of sums.
VARIES = {"knn.py": r"^OnnxIdentity: .*$", "mamba_block.py": r"(?s)\n  state .*$", "stream.py": r"(?s)(?<=^The process ).*$"}


def in_readme(name):
    """The lines behind `$ python3 NAME` in a block of the README."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    block = re.search(rf"^    \$ python3 examples/python/{name}.*\n((?:    .*\n|\n(?=    ))*)", text, re.M)
    return re.sub(r"^    ", "", block[1], flags=re.M).rstrip("\n") + "\n"


@pytest.mark.parametrize("name", MODELS)
def test_prints_what_the_readme_says(name):
    if not os.path.exists(MODELS[name]):
        pytest.skip(f"there is no {MODELS[name]}")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, FOLDER / name, MODELS[name]], capture_output=True, text=True, env=environment, check=True, timeout=200
    )

    def fixed(text):
        return re.sub(VARIES[name], "…", text.rstrip("\n"), flags=re.M)

    assert fixed(done.stdout) == fixed(in_readme(name))
    assert len(done.stdout) > 60
