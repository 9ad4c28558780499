// Writes down what a run does when.
#pragma once

#include "backend/reference/evaluate.h"
#include "pawl/profile.h"

namespace pawl {

/// One run: it begins and ends with the recorder.
class ProfileRecorder final : public reference::Observer {
 public:
  explicit ProfileRecorder(Profile& profile);
  ~ProfileRecorder() override;
  ProfileRecorder(const ProfileRecorder&) = delete;
  ProfileRecorder& operator=(const ProfileRecorder&) = delete;

  void begin(const graph::Node& node, bool is_kernel) override;
  void end(bool counts) override;

 private:
  struct Open {
    std::size_t row = 0;
    std::int64_t begin = 0;
    std::int64_t inside = 0;  ///< nanoseconds of what has ended inside
  };

  Profile& profile_;
  std::vector<Open> open_;
};

}  // namespace pawl
