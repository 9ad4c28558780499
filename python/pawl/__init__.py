"""pawl runs ONNX models whose work is a loop: Scan, Loop and If.

>>> import numpy as np, pawl
>>> sess = pawl.InferenceSession("model.onnx")
>>> total, sums = sess.run(None, {"x": np.float32([1, 2, 3])})

The session has the habits of ONNX Runtime's. pawl.explain says what the Scans of a model are, pawl.optimize writes them
as plain ONNX with less in their loops, pawl.bench measures, ``sess.stream`` carries states from call to call, and
pawl.backend is an onnx.backend.
"""

from ._bench import BenchResult, bench
from ._errors import (
    BadArgument,
    BadFile,
    BadModel,
    BadShape,
    BadType,
    BadValue,
    Error,
    InternalError,
    Interrupted,
    IoError,
    Limit,
    Unsupported,
)
from ._explain import Explanation, explain, optimize
from ._pawl import __version__, numpy_dtype
from ._session import (
    ExecutionMode,
    GraphOptimizationLevel,
    InferenceSession,
    ModelMetadata,
    NodeArg,
    RunOptions,
    SessionOptions,
    get_available_providers,
)
from ._stream import Stream


def get_device() -> str:
    """Where models run: "CPU"."""
    return "CPU"


def get_all_providers() -> list[str]:
    """Every place that there is a name for, here or not."""
    return ["WebGpuExecutionProvider", "CPUExecutionProvider"]


def set_default_logger_severity(severity: int) -> None:
    """Taken for the sake of scripts that call it: pawl writes no log."""


__all__ = [
    "BadArgument",
    "BadFile",
    "BadModel",
    "BadShape",
    "BadType",
    "BadValue",
    "BenchResult",
    "Error",
    "ExecutionMode",
    "Explanation",
    "GraphOptimizationLevel",
    "InferenceSession",
    "InternalError",
    "Interrupted",
    "IoError",
    "Limit",
    "ModelMetadata",
    "NodeArg",
    "RunOptions",
    "SessionOptions",
    "Stream",
    "Unsupported",
    "__version__",
    "bench",
    "explain",
    "get_all_providers",
    "get_available_providers",
    "get_device",
    "numpy_dtype",
    "optimize",
    "set_default_logger_severity",
]
