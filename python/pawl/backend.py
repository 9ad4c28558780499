"""pawl as an onnx.backend: prepare, run_model, run_node, supports_device. Needs the package onnx."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnx.defs
import onnx.helper
import onnx.mapping
from onnx.backend.base import Backend, BackendRep, namedtupledict

from . import _pawl
from ._errors import BadArgument
from ._session import InferenceSession, SessionOptions


class PawlRep(BackendRep):  # type: ignore[misc]
    """A model that is ready to run."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session
        self._types = {arg.name: arg.type for arg in session.get_inputs()}

    def run(self, inputs: Any, **kwargs: Any) -> Any:
        """``inputs``: one per input without a default, in order, or a dict by name. Returns a named tuple."""
        feeds = inputs if isinstance(inputs, dict) else self._by_name(inputs)
        names = [arg.name for arg in self._session.get_outputs()]
        results = self._session.run(None, {name: self._named(name, value) for name, value in feeds.items()})
        return namedtupledict("Outputs", names)(*(_plain(result) for result in results))

    def _named(self, name: str, value: Any) -> Any:
        """The package onnx has types that NumPy lacks as plain unsigned integers."""
        kind = self._types.get(name, "")
        if not isinstance(value, np.ndarray) or value.dtype.kind != "u" or not kind.startswith("tensor("):
            return value
        dtype = _pawl.numpy_dtype(kind[len("tensor(") : -1])
        return value.view(dtype) if dtype.names and dtype.itemsize == value.dtype.itemsize else value

    def _by_name(self, inputs: Sequence[Any]) -> dict[str, Any]:
        values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        if len(values) != len(self._types):
            raise BadArgument(f"the model has {len(self._types)} inputs, {len(values)} were given")
        return dict(zip(self._types, values))


class PawlBackend(Backend):  # type: ignore[misc]
    """Models are checked by pawl itself when they are loaded."""

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether the model can be loaded here."""
        try:
            _pawl.from_bytes(model.SerializeToString(), "")
        except ValueError:
            return False
        except NotImplementedError:
            return False
        return cls.supports_device(device)

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> PawlRep:
        if not cls.supports_device(device):
            raise BadArgument(f"device {device!r}: expected CPU")
        options = SessionOptions()
        options.exact = bool(kwargs.get("exact", False))
        return PawlRep(InferenceSession(model, options))

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any) -> Any:
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU", outputs_info: Any = None, **kwargs: Any
    ) -> Any:
        """Runs one node on arrays; of the newest opset that the package onnx has, or ``opset``."""
        arrays = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        names = [name for name in node.input if name]
        if len(names) != len(arrays):
            raise BadArgument(f"the node has {len(names)} inputs, {len(arrays)} were given")
        graph = onnx.helper.make_graph(
            [node],
            "node",
            [_value_info(name, array) for name, array in zip(names, arrays)],
            [onnx.helper.make_empty_tensor_value_info(name) for name in node.output if name],
        )
        opset = int(kwargs.get("opset", onnx.defs.onnx_opset_version()))
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid(node.domain, opset)])
        return cls.run_model(model, arrays, device)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.split(":")[0].upper() == "CPU"


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.names:
        return value.view(np.dtype(f"u{value.dtype.itemsize}"))
    return value


def _value_info(name: str, value: Any) -> onnx.ValueInfoProto:
    if isinstance(value, list):
        first = value[0]
        return onnx.helper.make_tensor_sequence_value_info(
            name, onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[first.dtype], None
        )
    return onnx.helper.make_tensor_value_info(name, onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[value.dtype], value.shape)


is_compatible = PawlBackend.is_compatible
prepare = PawlBackend.prepare
run = PawlBackend.run_model
run_model = PawlBackend.run_model
run_node = PawlBackend.run_node
supports_device = PawlBackend.supports_device
