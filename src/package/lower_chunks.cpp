#include "package/lower_chunks.h"

namespace pawl::package {

Result<std::string> lower_in_chunks(const LoopCall& /*call*/, DraftBuilder& /*to*/) { return std::string("not yet"); }

}  // namespace pawl::package
