// Scans cut into chunks on a device: values go there once, stay there from shader to shader, and come back once.
#pragma once

#include "backend/cpu/scan_kernels.h"
#include "backend/wgsl/chunked_form.h"
#include "backend/wgsl/device.h"

namespace pawl::wgsl {

/// Scans of many steps whose lanes do not keep a device busy.
///   exact : the bits of the loop
///   tiles : more than 0: all that can be cut, into so many tiles of time at most for each group of lanes
std::shared_ptr<cpu::OtherWay> chunked_scans(std::shared_ptr<Device> device, bool exact, int tiles);

}  // namespace pawl::wgsl
