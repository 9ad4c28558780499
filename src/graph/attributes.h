// Attributes of a node: references resolved, checked against the schema.
#pragma once

#include "graph/scope.h"

namespace pawl::graph {

/// The node's attributes with ref_attr_name replaced by the call's value; those that the call leaves out are left out.
/// Errors: bad_model.
Result<std::vector<onnx::Attribute>> resolve_references(const onnx::Node& node, const CallFrame& frame);

/// Checks names, kinds and presence against the schema, and leaves out graphs (control flow reads those itself).
/// Errors: bad_model, naming attribute, expected and found kind.
Result<ops::Attributes> check_attributes(const std::vector<onnx::Attribute>& attributes, const ops::Schema& schema);

}  // namespace pawl::graph
