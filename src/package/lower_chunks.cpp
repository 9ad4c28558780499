#include "package/lower_chunks.h"

namespace pawl::package {

Result<std::string> lower_in_chunks(const LoopCall& /*call*/, Chunks /*chunks*/, DraftBuilder& /*to*/) {
  return std::string("there are no chunks yet");
}

}  // namespace pawl::package
