// Memory of tensors that lie in mapped files.
#pragma once

#include "pawl/tensor.h"

namespace pawl {

/// Gives back the pages of a large dense tensor that was read for the last time in a while, if they are of a file that
/// is mapped for reading only: they come back when they are read again. All other memory is left as it is. A hint:
/// nothing but memory is lost where it fails.
void give_back_file_pages(const Tensor& tensor);

}  // namespace pawl
