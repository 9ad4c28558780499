// What the machine can do at most.
#pragma once

#include <cstdint>
#include <string>

#include "team.h"

namespace pawl::bench {

/// Copies `count` floats, a multiple of 16, in both threads of the team where that pays; both aligned to 64 bytes.
void copy(const float* from, float* to, std::int64_t count, bool streaming, Team& team);

/// Products and sums of floats a second, each counted, in all threads of the team.
double peak_operations(Team& team);

/// Threads of the whole machine that wanted to run in the last minute.
double load();

/// The processor's name and how many of it there are.
std::string processor();

}  // namespace pawl::bench
