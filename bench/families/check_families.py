#!/usr/bin/python3
"""Writes families and has all candidates checked against the expected results; nothing is measured.

    check_families.py MEASURE_FAMILIES FOLDER [PRESETS [FAMILIES]]

Leaves with 77, and says why, where Python lacks what generate.py needs.
"""

import pathlib
import subprocess
import sys

SKIPPED = 77


def main():
    program, folder = sys.argv[1], sys.argv[2]
    presets = sys.argv[3] if len(sys.argv) > 3 else "small,odd"
    families = sys.argv[4] if len(sys.argv) > 4 else "all,more"
    try:
        import numpy  # noqa: F401
        import onnx  # noqa: F401
    except ImportError as missing:
        print(f"skipped: {missing} (Debian: python3-numpy, python3-onnx)")
        return SKIPPED
    generate = pathlib.Path(__file__).parent / "generate.py"
    written = subprocess.run(
        [sys.executable, generate, folder, "--presets", presets, "--families", families],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    cases = [line.split()[0] for line in written.stdout.splitlines()]
    return subprocess.run([program, *cases, "--check"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
