#!/usr/bin/env python3
"""Models before and after `pawl optimize`, in ONNX Runtime.

    bench/before_and_after.py JOBS.json RESULTS.json [--threads 2] [--seconds 1.5]

JOBS.json is a list of {"name", "models": {"before": FILE, "after": FILE, …}, "data": FOLDER or null, "dims": {"T": 1000}}.
All models of a job take the same inputs: those of the data set (a folder with input_0.pb …), or random ones whose open
extents are `dims`. They run in turns in one process, 3 to 25 times each, for about --seconds together; the median of each
is taken. `error` is the largest |a - b| / (1 + |b|) of outputs against the data set's, or against those of the first model.
Needs onnxruntime, onnx and numpy.
"""

import argparse
import json
import pathlib
import statistics
import time

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

TYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
}


def read(path, value_info):
    data = path.read_bytes()
    if value_info is not None and value_info.startswith("seq"):
        return [numpy_helper.to_array(each) for each in onnx.SequenceProto.FromString(data).tensor_values]
    return numpy_helper.to_array(onnx.TensorProto.FromString(data))


def made_up(port, dims, random):
    shape = [extent if isinstance(extent, int) else dims[extent] for extent in port.shape]
    dtype = TYPES[port.type]
    if dtype is np.bool_:
        return random.random(shape) < 0.5
    if np.issubdtype(dtype, np.integer):
        return random.integers(1, 5, shape).astype(dtype)
    return (random.standard_normal(shape) * 0.5).astype(dtype)


def inputs_of(session, job):
    random = np.random.default_rng(0)
    feeds = {}
    for number, port in enumerate(session.get_inputs()):
        if job.get("data"):
            feeds[port.name] = read(pathlib.Path(job["data"]) / f"input_{number}.pb", port.type)
        else:
            feeds[port.name] = made_up(port, job["dims"], random)
    return feeds


def error(got, want):
    worst = 0.0
    for a, b in zip(got, want):
        if isinstance(a, list):
            worst = max(worst, error(a, b))
        elif a.shape != b.shape:
            return float("inf")
        elif a.dtype.kind in "fc" and a.size:
            with np.errstate(invalid="ignore"):
                off = np.abs(a.astype(float) - b.astype(float)) / (1 + np.abs(b.astype(float)))
            worst = max(worst, float(np.nanmax(np.where(a == b, 0, off))))
        elif a.dtype.kind not in "fc":
            worst = max(worst, float(np.any(a != b)))
    return worst


def run_job(job, threads, seconds):
    result = {"name": job["name"], "dims": job.get("dims", {}), "milliseconds": {}, "error": {}}
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    sessions = {}
    for kind, path in job["models"].items():
        try:
            sessions[kind] = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as failure:  # pylint: disable=broad-except
            result["error"][kind] = "not loaded: " + str(failure)[:200]
    if not sessions:
        return result
    feeds = inputs_of(next(iter(sessions.values())), job)
    want = None
    if job.get("data"):
        folder = pathlib.Path(job["data"])
        ports = next(iter(sessions.values())).get_outputs()
        want = [read(folder / f"output_{i}.pb", port.type) for i, port in enumerate(ports)]
    rounds = 3
    for kind, session in list(sessions.items()):
        try:
            session.run(None, feeds)
            start = time.perf_counter()
            got = session.run(None, feeds)
            took = time.perf_counter() - start
        except Exception as failure:  # pylint: disable=broad-except
            result["error"][kind] = "not run: " + str(failure)[:200]
            del sessions[kind]
            continue
        want = got if want is None else want
        result["error"][kind] = error(got, want)
        rounds = max(rounds, min(25, int(seconds / len(job["models"]) / took)))
    times = {kind: [] for kind in sessions}
    for _ in range(rounds):
        for kind, session in sessions.items():
            start = time.perf_counter()
            session.run(None, feeds)
            times[kind].append(1e3 * (time.perf_counter() - start))
    result["milliseconds"] = {kind: statistics.median(each) for kind, each in times.items()}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs")
    parser.add_argument("results")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.5)
    arguments = parser.parse_args()
    results = []
    for job in json.loads(pathlib.Path(arguments.jobs).read_text()):
        try:
            results.append(run_job(job, arguments.threads, arguments.seconds))
        except Exception as failure:  # pylint: disable=broad-except
            results.append({"name": job["name"], "failure": repr(failure)[:300]})
        print(json.dumps(results[-1]), flush=True)
        pathlib.Path(arguments.results).write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
