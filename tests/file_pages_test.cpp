// Pages of mapped files are given back, and nothing else is.
#include "tensor/file_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace pawl {
namespace {

constexpr std::int64_t kCount = 1 << 20;  ///< floats: 4 MB

/// Kilobytes of the mapping that begins there which are resident.
long resident_kb(const void* begin) {
  std::ifstream maps("/proc/self/smaps");
  char address[32];
  std::snprintf(address, sizeof address, "%lx-", reinterpret_cast<unsigned long>(begin));
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.rfind(address, 0) == 0) here = true;
    if (here && line.rfind("Rss:", 0) == 0) return std::stol(line.substr(4));
  }
  return -1;
}

struct Mapping {
  void* memory = MAP_FAILED;
  std::size_t size = 0;
  Mapping(int file, int rights, std::size_t bytes)
      : memory(mmap(nullptr, bytes, rights, MAP_PRIVATE | (file < 0 ? MAP_ANONYMOUS : 0), file, 0)), size(bytes) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(memory, size); }
};

class FilePages : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = std::tmpfile();
    ASSERT_NE(file_, nullptr);
    numbers_.resize(kCount);
    std::iota(numbers_.begin(), numbers_.end(), 1.0F);
    ASSERT_EQ(std::fwrite(numbers_.data(), sizeof(float), numbers_.size(), file_), numbers_.size());
    std::fflush(file_);
  }
  void TearDown() override {
    if (file_ != nullptr) std::fclose(file_);
  }
  [[nodiscard]] float sum_of_wrong(const void* memory) const {
    const auto* floats = static_cast<const float*>(memory);
    float wrong = 0;
    for (std::size_t i = 0; i < numbers_.size(); ++i) wrong += floats[i] == numbers_[i] ? 0.0F : 1.0F;
    return wrong;
  }
  [[nodiscard]] int file() const { return fileno(file_); }

  std::FILE* file_ = nullptr;
  std::vector<float> numbers_;
};

TEST_F(FilePages, AreGivenBackAndComeBack) {
  const Mapping mapping(file(), PROT_READ, numbers_.size() * sizeof(float));
  ASSERT_NE(mapping.memory, MAP_FAILED);
  EXPECT_EQ(sum_of_wrong(mapping.memory), 0);
  const long before = resident_kb(mapping.memory);
  give_back_file_pages(Tensor::borrow(DType::f32, {kCount}, mapping.memory));
  if (before > 0) {
    EXPECT_LT(resident_kb(mapping.memory), before / 10);
  }
  EXPECT_EQ(sum_of_wrong(mapping.memory), 0);
}

TEST_F(FilePages, WhatSomebodyMayHaveWrittenToStays) {
  const std::size_t bytes = numbers_.size() * sizeof(float);
  // A private mapping that was changed, one that was closed after that, memory without a file, and such memory closed.
  const Mapping changed(file(), PROT_READ | PROT_WRITE, bytes), patched(file(), PROT_READ | PROT_WRITE, bytes);
  const Mapping plain(-1, PROT_READ | PROT_WRITE, bytes), closed(-1, PROT_READ | PROT_WRITE, bytes);
  for (float& each : numbers_) each = -each;
  for (const Mapping* each : {&changed, &patched, &plain, &closed}) {
    ASSERT_NE(each->memory, MAP_FAILED);
    std::memcpy(each->memory, numbers_.data(), bytes);
  }
  for (const Mapping* each : {&patched, &closed}) ASSERT_EQ(mprotect(each->memory, bytes, PROT_READ), 0);
  for (const Mapping* each : {&changed, &patched, &plain, &closed}) {
    give_back_file_pages(Tensor::borrow(DType::f32, {kCount}, each->memory));
    EXPECT_EQ(sum_of_wrong(each->memory), 0);
  }
}

}  // namespace
}  // namespace pawl
