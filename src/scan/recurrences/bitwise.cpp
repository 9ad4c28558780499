// s' = (s and a) xor b, bit by bit: what BitwiseAnd, BitwiseOr, BitwiseXor and BitwiseNot make of an integer.
#include "scan/recurrences/semiring.h"

namespace pawl::scan {
namespace {

using Law = AffineOver<XorAndAnd<false>>;

}  // namespace

const Recurrence kBitwise{.name = "bitwise",
                          .law = "s' = (s and a) xor b",
                          .commutative = false,
                          .float_exact = true,
                          .combine = Law::combine,
                          .act = Law::act,
                          .identity = Law::identity,
                          .width = Law::width,
                          .types = kIntegers,
                          .source = "Blelloch 1990, Prefix sums and their applications"};

}  // namespace pawl::scan
