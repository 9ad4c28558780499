// What this machine can do at most, measured.
#pragma once

namespace pawl::cli {

struct MachineLimits {
  double copy_bytes_per_second = 0;  ///< read and written, between buffers of 64 MB
  double flops = 0;                  ///< float32, a product and a sum fused in the widest vectors; counted as two
};

/// Measured on this many threads, in a quarter of a second or so. A figure that cannot be had is 0.
MachineLimits measure_limits(int threads);

}  // namespace pawl::cli
