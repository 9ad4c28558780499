#include "backend/cpu/formulas.h"

#include "base/try.h"

namespace pawl::cpu {

Result<Ssa> formula(Instructions&, const Target&, expr::Op op, std::span<const Ssa>) {
  return fail(Code::unsupported, "{} has no formula yet", expr::facts_of(op).name);
}

}  // namespace pawl::cpu
