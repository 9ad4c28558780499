// Numbers below the smallest normal one.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace pawl::cpu {

/// While it lives, the thread that made it gets 0 where a result would be subnormal, where the machine can do that: a
/// factor that shrinks forever would stay the smallest number, and take a hundred cycles in each step. What was
/// subnormal before, and minima and maxima of such, are as they are.
class FlushSubnormals {
 public:
  explicit FlushSubnormals(bool flushes) : flushes_(flushes) {
#if defined(__x86_64__)
    constexpr unsigned kResults = 0x8000;
    before_ = _mm_getcsr();
    if (flushes_) _mm_setcsr(before_ | kResults);
#endif
  }
  ~FlushSubnormals() {
#if defined(__x86_64__)
    if (flushes_) _mm_setcsr(before_);
#endif
  }
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
  bool flushes_;
  unsigned before_ = 0;
};

}  // namespace pawl::cpu
