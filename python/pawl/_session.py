"""Running models: the habits of ONNX Runtime's Python session."""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _pawl
from ._errors import BadArgument
from ._model import ModelLike, to_model

if TYPE_CHECKING:
    from ._stream import Stream

_CPU = "CPUExecutionProvider"
_WEBGPU = "WebGpuExecutionProvider"


class GraphOptimizationLevel(enum.IntEnum):
    """How much is rewritten: nothing at all, or (the rest alike) whatever gives the same results."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    """Taken for the sake of scripts that set it; nodes run one after the other."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class SessionOptions:
    """How a model is compiled.

    ``intra_op_num_threads``: threads that a run may use; 0: as many as there are cores. ``exact``: the bits of the
    reference evaluator. ``kernels``: what runs the bodies of Scans: "compiled", "off" or "webgpu". The other attributes
    are ONNX Runtime's; they are kept, and change nothing.
    """

    def __init__(self) -> None:
        self.intra_op_num_threads = 0
        self.inter_op_num_threads = 0
        self.exact = False
        self.kernels = "compiled"
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self.enable_profiling = False
        self.profile_file_prefix = ""
        self.optimized_model_filepath = ""
        self.enable_mem_pattern = True
        self.enable_cpu_mem_arena = True
        self.enable_mem_reuse = True
        self.use_deterministic_compute = True
        self._entries: dict[str, str] = {}

    def add_session_config_entry(self, key: str, value: str) -> None:
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        if key not in self._entries:
            raise BadArgument(f"there is no session config entry {key!r}")
        return self._entries[key]


class RunOptions:
    """What one run is told.

    ``terminate``: set it from another thread to stop the runs that have these options; they raise pawl.Interrupted.
    ``seed``: of operators that draw random numbers and have no seed of their own. ``max_steps``: of one loop, where no
    data stands behind its trip count.
    """

    def __init__(self) -> None:
        self._control = _pawl.RunControl()
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self.only_execute_path_to_fetches = False

    @property
    def terminate(self) -> bool:
        return self._control.terminate

    @terminate.setter
    def terminate(self, value: bool) -> None:
        self._control.terminate = value

    @property
    def seed(self) -> int:
        return self._control.seed

    @seed.setter
    def seed(self, value: int) -> None:
        self._control.seed = value

    @property
    def max_steps(self) -> int:
        return self._control.max_steps

    @max_steps.setter
    def max_steps(self, value: int) -> None:
        self._control.max_steps = value

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Taken, and changes nothing."""


class NodeArg:
    """An input or output of a model.

    ``type`` is "tensor(float)", "seq(tensor(int64))", "map(int64,tensor(float))", "optional(tensor(float))".
    ``shape`` has a number, a symbol (str) or None for each axis; it is empty for scalars, and where the rank is unknown.
    """

    __slots__ = ("name", "type", "shape", "text")

    def __init__(self, name: str, type: str, shape: list[int | str | None], text: str) -> None:
        self.name = name
        self.type = type
        self.shape = shape
        self.text = text

    def __repr__(self) -> str:
        return f"NodeArg(name={self.name!r}, type={self.type!r}, shape={self.shape!r})"

    __str__ = __repr__


class ModelMetadata:
    """What a model file says of itself."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.producer_name: str = facts["producer_name"]
        self.graph_name: str = facts["graph_name"]
        self.domain: str = facts["domain"]
        self.version: int = facts["version"]
        self.description = ""
        self.graph_description = ""
        self.custom_metadata_map: dict[str, str] = facts["custom_metadata_map"]
        self.ir_version: int = facts["ir_version"]
        self.opsets: dict[str, int] = facts["opsets"]


def get_available_providers() -> list[str]:
    """Where bodies can run here."""
    return [_WEBGPU, _CPU] if _pawl.has_webgpu() else [_CPU]


def _pick(providers: Sequence[Any] | None, kernels: str) -> tuple[list[str], str]:
    """The providers that are used of those that were asked for, and the kernels that they mean."""
    names = [each if isinstance(each, str) else each[0] for each in providers or []]
    if _WEBGPU in names and _WEBGPU in get_available_providers():
        return [_WEBGPU, _CPU], "webgpu"
    missing = [name for name in names if name != _CPU]
    if missing:
        warnings.warn(f"{', '.join(missing)} is not available: the model runs on {_CPU}", UserWarning, stacklevel=3)
    return [_CPU], kernels


class InferenceSession:
    """A model that is compiled and can be run, by several threads at once.

    ``path_or_bytes``: an .onnx file, an .onnxtxt in ONNX's text syntax, a serialized ModelProto, or an onnx.ModelProto.
    ``providers``: what ONNX Runtime calls the places where nodes run; those that are not here give a warning.
    Raises pawl.Error: IoError, BadFile, BadModel, BadShape, BadType, Unsupported, Limit.
    """

    def __init__(
        self,
        path_or_bytes: ModelLike,
        sess_options: SessionOptions | None = None,
        providers: Sequence[Any] | None = None,
        provider_options: Sequence[Mapping[str, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        options = sess_options if sess_options is not None else SessionOptions()
        self._model = to_model(path_or_bytes)
        self._options = options
        self._providers, kernels = _pick(providers, options.kernels)
        self._session: _pawl.Session | None = _pawl.Session(
            self._model,
            options.intra_op_num_threads,
            options.exact,
            kernels,
            options.graph_optimization_level != GraphOptimizationLevel.ORT_DISABLE_ALL,
        )
        self._run: Callable[..., list[Any]] = self._session.run

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None = None,
    ) -> list[Any]:
        """Runs the model.

        ``output_names``: what to return, in this order; None: all outputs. ``input_feed``: name to value, for every
        input without a default. Arrays of any strides are read where they are, and never written to; numbers and
        nested lists are converted to the declared type, DLPack tensors (torch) are viewed; lists are sequences, dicts
        are maps, None is an optional without an element.

        Returns arrays that own their memory (strings as arrays of objects), lists for sequences, dicts for maps, None.
        Raises BadArgument (a missing or unknown name), BadType, BadShape (naming the input), all of them ValueErrors;
        what the model's operators find wrong with the values; Interrupted; KeyboardInterrupt.
        """
        return self._run(output_names, input_feed, run_options._control if run_options is not None else None)

    def stream(
        self,
        states: Mapping[str, str],
        initial: Mapping[str, Any] | None = None,
    ) -> Stream:
        """The model, called piece by piece: some outputs of a call are inputs of the next one.

        ``states``: {output: input, …}. ``initial``: values of these inputs at the start, by input name; those that are
        not given are zeros.
        """
        from ._stream import Stream

        return Stream(self, states, initial)

    def get_inputs(self) -> list[NodeArg]:
        """The inputs that a run needs, in the model's order."""
        return [NodeArg(row[0], row[1], row[2], row[4]) for row in self._model.inputs if not row[3]]

    def get_overridable_initializers(self) -> list[NodeArg]:
        """The inputs that the model has a value for."""
        return [NodeArg(row[0], row[1], row[2], row[4]) for row in self._model.inputs if row[3]]

    def get_outputs(self) -> list[NodeArg]:
        """The outputs, in the model's order."""
        return [NodeArg(row[0], row[1], row[2], row[4]) for row in self._model.outputs]

    def get_modelmeta(self) -> ModelMetadata:
        return ModelMetadata(self._model.metadata)

    def get_providers(self) -> list[str]:
        return list(self._providers)

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        return {name: {} for name in self._providers}

    def get_session_options(self) -> SessionOptions:
        return self._options

    def set_providers(self, providers: Sequence[Any] | None = None, provider_options: Any = None) -> None:
        """Providers that are not available give a warning; the session stays where it is."""
        _pick(providers, self._options.kernels)

    def kernel_report(self) -> list[str]:
        """Which Scans were run as kernels so far, and why others were not, a line each."""
        return self._alive().report()

    def close(self) -> None:
        """Frees the compiled model; the session cannot be run any more. Runs that go on end first."""
        self._session = None
        self._run = _closed

    def _alive(self) -> _pawl.Session:
        if self._session is None:
            raise BadArgument("the session is closed")
        return self._session

    def __enter__(self) -> InferenceSession:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise BadArgument("a session cannot be pickled: make one in each process, from the model's path")


def _closed(*arguments: Any) -> Any:
    raise BadArgument("the session is closed")
