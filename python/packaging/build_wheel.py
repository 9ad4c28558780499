"""Makes a wheel out of a CMake build: what pip calls (PEP 517), with nothing but Python's own library and CMake.

    pip install .                                         builds in build/wheel, optimised
    pip install . --config-settings build-dir=build/dev   takes a build that is there
"""

import base64
import hashlib
import os
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAME = f"{PROJECT['name']}-{PROJECT['version']}"


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def metadata():
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {PROJECT['name']}",
        f"Version: {PROJECT['version']}",
        f"Summary: {PROJECT['description']}",
        f"License: {PROJECT['license']['text']}",
        f"Requires-Python: {PROJECT['requires-python']}",
        *(f"Requires-Dist: {each}" for each in PROJECT["dependencies"]),
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / PROJECT["readme"]).read_text(encoding="utf-8"),
    ]
    return "\n".join(lines).encode()


def tag():
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{version}-{version}-{platform}"


def built(settings):
    """A folder with a build of the module."""
    if "build-dir" in settings:
        return ROOT / settings["build-dir"]
    folder = ROOT / "build/wheel"
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DPAWL_TESTS=OFF", f"-DPython_EXECUTABLE={sys.executable}"]
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, *options], check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "pawl_python"], check=True)
    return folder


def collect(build, stage):
    """(path in the wheel, file): the package, and beside its module the compiler for kernels."""
    subprocess.run(["cmake", "--install", build, "--prefix", stage, "--component", "python", "--strip"], check=True)
    package = next(stage.glob("**/pawl/__init__.py"), None)
    if package is None:
        sys.exit("error: the build has no Python module: it needs pybind11-dev, and the headers of this Python")
    files = [(f"pawl/{file.name}", file) for file in sorted(package.parent.iterdir())]
    compiler = build / "libpawl_llvm.so"
    return files + ([("pawl/libpawl_llvm.so", compiler)] if compiler.exists() else [])


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    wheel = f"{NAME}-{tag()}.whl"
    header = f"Wheel-Version: 1.0\nGenerator: pawl\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()
    with tempfile.TemporaryDirectory() as stage:
        parts = [(path, file.read_bytes()) for path, file in collect(built(config_settings or {}), Path(stage))]
    parts += [(f"{NAME}.dist-info/METADATA", metadata()), (f"{NAME}.dist-info/WHEEL", header)]
    record = ""
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path, content in parts:
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(content)}\n"
            archive.writestr(entry(path), content)
        archive.writestr(entry(f"{NAME}.dist-info/RECORD"), record + f"{NAME}.dist-info/RECORD,,\n")
    return wheel


def entry(path):
    """A file of an archive, dated as all others: the same input gives the same wheel."""
    info = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
    info.external_attr = (0o755 if ".so" in path else 0o644) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def build_sdist(sdist_directory, config_settings=None):
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    sdist = f"{NAME}.tar.gz"
    with tarfile.open(Path(sdist_directory) / sdist, "w:gz") as archive:
        for file in filter(None, files.decode().split("\0")):
            archive.add(ROOT / file, f"{NAME}/{file}")
        with tempfile.TemporaryDirectory() as folder:
            info = os.path.join(folder, "PKG-INFO")
            Path(info).write_bytes(metadata())
            archive.add(info, f"{NAME}/PKG-INFO")
    return sdist
