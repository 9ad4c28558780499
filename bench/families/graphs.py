"""Writing ONNX graphs by hand: nodes one after the other, and a Scan around them."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET = 16
IR_VERSION = 8


TYPES = {
    "float16": TensorProto.FLOAT16,
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
    "int64": TensorProto.INT64,
}


def port(name, array, without_axis=None):
    """A graph input or output that looks like `array`, one axis left out."""
    shape = [extent for axis, extent in enumerate(array.shape) if axis != without_axis]
    return helper.make_tensor_value_info(name, TYPES[array.dtype.name], shape)


class Nodes:
    """Nodes in the order in which they run. Calling it appends one and gives the name of its output, or a list of them."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.nodes = []

    def name(self, word):
        return f"{self.prefix}{word}_{len(self.nodes)}"

    def __call__(self, operator, *inputs, results=1, to=None, domain="", **attributes):
        if operator == "Cast":
            attributes = {"to": TYPES[attributes["to_type"].name]}
        stem = self.name(operator.lower())
        outputs = [to] if to else [stem if results == 1 else f"{stem}_{i}" for i in range(results)]
        self.nodes.append(helper.make_node(operator, list(inputs), outputs, name=stem, domain=domain, **attributes))
        return outputs[0] if results == 1 else outputs

    def constant(self, values, dtype=np.int64):
        name = self.name("constant")
        array = np.array(values, dtype)
        self.nodes.append(helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array, name)))
        return name

    def operations(self):
        return sum(node.op_type != "Constant" for node in self.nodes)


def model(nodes, inputs, outputs, weights, domains=()):
    """A model of main-graph nodes. `inputs` and `outputs` are arrays by name; weights that no node needs are left out."""
    needed = set()
    for node in nodes:
        needed.update(node.input)
        for attribute in node.attribute:
            for inner in attribute.g.node:
                needed.update(inner.input)
    graph = helper.make_graph(
        nodes,
        "main",
        [port(name, array) for name, array in inputs.items()],
        [port(name, array) for name, array in outputs.items()],
        [numpy_helper.from_array(np.ascontiguousarray(w), name) for name, w in weights.items() if name in needed],
    )
    opsets = [helper.make_opsetid("", OPSET)] + [helper.make_opsetid(domain, 1) for domain in domains]
    made = helper.make_model(graph, opset_imports=opsets, producer_name="pawl")
    made.ir_version = IR_VERSION
    return made


def scan(body, states, scanned, outputs, axis, reverse):
    """A Scan node over all of `scanned`, and how many nodes its body has.

    body(nodes, names) writes the body and gives the names of next states and of what is stacked. All sequences lie along
    `axis`, in reverse or not. `outputs` are arrays by name, final states first.
    """
    nodes = Nodes("body_")
    names = [f"{name}_before" for name in states] + [f"{name}_now" for name in scanned]
    nexts, stacked = body(nodes, names)
    arrays = list(outputs.values())
    inner = helper.make_graph(
        nodes.nodes,
        "step",
        [port(name, array) for name, array in zip(names, states.values())]
        + [port(name, array, axis) for name, array in zip(names[len(states) :], scanned.values())],
        [port(name, array) for name, array in zip(nexts, arrays)]
        + [port(name, array, axis) for name, array in zip(stacked, arrays[len(nexts) :])],
    )
    attributes = {}
    if axis:
        attributes.update(scan_input_axes=[axis] * len(scanned), scan_output_axes=[axis] * len(stacked))
    if reverse:
        attributes.update(scan_input_directions=[1] * len(scanned), scan_output_directions=[1] * len(stacked))
    node = helper.make_node(
        "Scan",
        list(states) + list(scanned),
        list(outputs),
        name="scan",
        body=inner,
        num_scan_inputs=len(scanned),
        **attributes,
    )
    return node, nodes.operations()
