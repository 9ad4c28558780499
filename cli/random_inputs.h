// Inputs for a model when no files are at hand.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "pawl/model.h"
#include "pawl/tensor.h"

namespace pawl::cli {

/// What `--dim` said: a symbol ("T"), or an axis of an input ("x.0"), to its extent.
using DimValues = std::map<std::string, std::int64_t, std::less<>>;

/// From the arguments of `--dim`: "SYMBOL=N" or "INPUT.AXIS=N", a symbol or an open axis of some input. Errors:
/// bad_argument.
Result<DimValues> parse_dims(const std::vector<std::string>& arguments, const std::vector<Port>& ports);

/// Adds the extents that a given value fixes for the symbols of its declared type; those that are there stay.
void bind_dims(const Type& declared, const Value& value, DimValues& dims);

/// A value of the port's type: floats in [-1, 1], integers 0 … 9 (as far as the type reaches), booleans, strings "s0" …
/// "s9"; a sequence has three items, an optional an element. The same seed and port number give the same numbers.
/// Errors: bad_argument, when an extent is neither fixed by the model nor in `dims`, or the rank or type is unknown;
/// limit.
Result<Value> random_value(const Port& port, std::size_t number, std::uint64_t seed, const DimValues& dims);

}  // namespace pawl::cli
