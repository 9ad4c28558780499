// Which values are never below zero, by the operators that they are made with.
#pragma once

#include "scan/recurrence.h"

namespace pawl::scan {

/// Whether no element of a value of the component's body is below zero, for sure. A NaN is not below zero.
bool is_never_negative(const Component& component, graph::ValueId id);

}  // namespace pawl::scan
