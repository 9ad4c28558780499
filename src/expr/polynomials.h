// Made by tools/make_polynomials.py, which says how. Coefficients from the lowest power on; the number after
// the colon is the largest error, relative to the whole function.
#pragma once

#include "pawl/dtype.h"

namespace pawl::expr::polynomials {

template <DType>
struct Of;

template <>
struct Of<DType::f32> {
  /// (exp(r) - 1 - r) / r^2, |r| <= ln(2) / 2, for exp: 2^-28.0.
  static constexpr double kExp[] = {0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558f4p-5, 0x1.123a2p-7, 0x1.6a23c6p-10};
  /// the same for exp - 1: 2^-28.7.
  static constexpr double kExpMinus1[] = {0x1p-1,        0x1.555554p-3,  0x1.5554bp-5,
                                          0x1.11118ap-7, 0x1.6d723ep-10, 0x1.a032ap-13};
  /// (log(1 + f) - f + f^2 / 2) / f^3, sqrt(1/2) <= 1 + f <= sqrt(2): 2^-26.9.
  static constexpr double kLog[] = {0x1.555554p-2, -0x1.000228p-2, 0x1.99a008p-3, -0x1.547244p-3,
                                    0x1.22da1cp-3, -0x1.0d8548p-3, 0x1.055b72p-3, -0x1.38b57ep-4};
  /// (atanh(s) / s - 1 - z / 3) / z^2, z = s^2: 2^-36.7.
  static constexpr double kAtanhTail[] = {0x1.999ap-3, 0x1.245278p-3, 0x1.dfa32cp-4};
  /// (sin(r) / r - 1) / z, z = r^2, |r| <= pi / 4: 2^-27.4.
  static constexpr double kSin[] = {-0x1.555546p-3, 0x1.11075ep-7, -0x1.994dd6p-13};
  /// (cos(r) - 1 + z / 2) / z^2, z = r^2: 2^-30.9.
  static constexpr double kCos[] = {0x1.55554ap-5, -0x1.6c0c8ap-10, 0x1.9a019ap-16};
  /// -log(1 - erf(a)) / a, 0 <= a <= 4.0, the lowest power as the sum of two: 2^-27.0.
  static constexpr double kErf[] = {0x1.20dd76p+0,  -0x1.fbb1dp-25,  0x1.45f308p-1, 0x1.a4f37ep-4,
                                    -0x1.393966p-6, -0x1.095f76p-12, 0x1.d7b2bp-10, -0x1.84593ap-11,
                                    0x1.5f447ep-13, -0x1.66597cp-16, 0x1.407844p-20};
  /// ln(2), the sum of its parts.
  static constexpr double kLn2[] = {0x1.62e43p-1, -0x1.05c61p-29};
  /// ln(2) again; its first part times an exponent is exact.
  static constexpr double kLn2Short[] = {0x1.62ep-1, 0x1.0bfbe8p-15};
  /// pi / 2, the sum of its parts.
  static constexpr double kHalfPi[] = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
  /// 1 / 3, the sum of its parts.
  static constexpr double kThird[] = {0x1.555556p-2, -0x1.555556p-27};
  /// 1 / ln(2).
  static constexpr double kLog2E = 0x1.715476p+0;
  /// 2 / pi.
  static constexpr double kTwoOverPi = 0x1.45f306p-1;
};

template <>
struct Of<DType::f64> {
  /// (exp(r) - 1 - r) / r^2, |r| <= ln(2) / 2, for exp: 2^-56.3.
  static constexpr double kExp[] = {
      0x1.000000000000ap-1,  0x1.55555555554f9p-3,  0x1.555555555083ep-5,  0x1.1111111127d11p-7, 0x1.6c16c18438bb1p-10,
      0x1.a01a012a0e546p-13, 0x1.a01999e24c1e2p-16, 0x1.71df25b50a6a9p-19, 0x1.28ad9b973a3bp-22, 0x1.ad7f3bb0f81cp-26};
  /// the same for exp - 1: 2^-59.6.
  static constexpr double kExpMinus1[] = {0x1p-1,
                                          0x1.5555555555559p-3,
                                          0x1.555555555553ep-5,
                                          0x1.111111110f6c5p-7,
                                          0x1.6c16c16c1f0ecp-10,
                                          0x1.a01a01afdd8ddp-13,
                                          0x1.a01a017bae6bap-16,
                                          0x1.71ddf863b9af6p-19,
                                          0x1.27e53647056cep-22,
                                          0x1.af5ea84fe2f73p-26,
                                          0x1.1ee88359631c4p-29};
  /// (2 atanh(s) / s - 2) / z, z = s^2, s = f / (2 + f): 2^-58.1.
  static constexpr double kAtanh[] = {0x1.5555555555593p-1, 0x1.999999997fb32p-2, 0x1.24924942179fcp-2,
                                      0x1.c71c51e7f8955p-3, 0x1.7466462c5e44fp-3, 0x1.39a0f50502e51p-3,
                                      0x1.2f0d8e912ee0bp-3};
  /// the same for f32 in f64: 2^-36.6.
  static constexpr double kAtanhShort[] = {0x1.555554fd42488p-1, 0x1.999a7b3a92c09p-2, 0x1.2438a8a203ff4p-2,
                                           0x1.e2fdcd3f8b3a7p-3};
  /// exp for f32 in f64: 2^-34.2.
  static constexpr double kExpShort[] = {0x1.0000003a45982p-1, 0x1.5555544285ee5p-3,  0x1.55548d75099b9p-5,
                                         0x1.11127153f84d1p-7, 0x1.6d8d52126c036p-10, 0x1.9f0849af2a06ep-13};
  /// (atanh(s) / s - 1 - z / 3) / z^2, z = s^2: 2^-66.2.
  static constexpr double kAtanhTail[] = {0x1.9999999999996p-3, 0x1.2492492493049p-3, 0x1.c71c71c57e004p-4,
                                          0x1.745d18337a49ap-4, 0x1.3b1362673b5d3p-4, 0x1.1120c17b81df5p-4,
                                          0x1.de318f2f6a819p-5, 0x1.eb20ce895c9cdp-5};
  /// (sin(r) / r - 1) / z, z = r^2, |r| <= pi / 4: 2^-57.2.
  static constexpr double kSin[] = {-0x1.5555555555549p-3, 0x1.111111110f871p-7,   -0x1.a01a019c105cap-13,
                                    0x1.71de357698217p-19, -0x1.ae5e6551b302bp-26, 0x1.5d92bb27bd2f7p-33};
  /// (cos(r) - 1 + z / 2) / z^2, z = r^2: 2^-59.8.
  static constexpr double kCos[] = {0x1.555555555554cp-5,   -0x1.6c16c16c15173p-10, 0x1.a01a019cb0b1ep-16,
                                    -0x1.27e4f80926b31p-22, 0x1.1ee9eb5a7f375p-29,  -0x1.8fae4fed3117ep-37};
  /// -log(1 - erf(a)) / a, 0 <= a <= 6.0, the lowest power as the sum of two: 2^-55.7.
  static constexpr double kErf[] = {
      0x1.20dd750429b6dp+0,   0x1.19fb27d72aac8p-57,  0x1.45f306dc9c89fp-1,   0x1.a4f4e2a1b111bp-4,
      -0x1.39668593750aep-6,  -0x1.b6b68e888f08p-13,  0x1.bca67e7bbce45p-10,  -0x1.35656c9f163ddp-11,
      0x1.b239a24b835fep-16,  0x1.0e75e4dc19d51p-14,  -0x1.f25dc2219aa79p-16, 0x1.c524f06dccf5cp-19,
      0x1.81d697a4f5004p-19,  -0x1.de3580d22d945p-20, 0x1.8bae7c97a7e89p-22,  0x1.f408c53eb785dp-24,
      -0x1.194c5ba9e3158p-23, 0x1.070f213a9af23p-24,  -0x1.4e844b1b13ef2p-26, 0x1.3c7b41fd9d40dp-28,
      -0x1.c7108b77da77p-31,  0x1.edbddf3b2bb0ap-34,  -0x1.88deb7588bd7p-37,  0x1.b149c9bd2e114p-41,
      -0x1.280563f95166p-45,  0x1.796ad1c638de2p-51};
  /// ln(2), the sum of its parts.
  static constexpr double kLn2[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  /// ln(2) again; its first part times an exponent is exact.
  static constexpr double kLn2Short[] = {0x1.62e42fefa4p-1, -0x1.8432a1b0e2634p-43};
  /// pi / 2, the sum of its parts.
  static constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
  /// 1 / 3, the sum of its parts.
  static constexpr double kThird[] = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
  /// 1 / ln(2).
  static constexpr double kLog2E = 0x1.71547652b82fep+0;
  /// 2 / pi.
  static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
};

}  // namespace pawl::expr::polynomials
