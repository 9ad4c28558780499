// The command line as documents: one description, the options' own, for --help, the man page and the shells.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "pawl/error.h"

namespace pawl::cli {

/// "man": a page for man(1); "bash" and "zsh": completions of commands, options and file names. Errors: bad_argument,
/// of another word.
Result<std::string> describe(const CLI::App& app, const std::string& form);

}  // namespace pawl::cli
