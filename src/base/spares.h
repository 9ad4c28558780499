// Objects that are kept for whoever needs one next.
#pragma once

#include <array>
#include <atomic>
#include <memory>

namespace pawl {

/// A few objects that nobody uses at the moment. Safe from any thread, and after a fork(): nobody waits.
template <class T>
class Spares {
 public:
  Spares() = default;
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;
  ~Spares() {
    while (take() != nullptr) continue;
  }

  /// One of them, or null.
  [[nodiscard]] std::unique_ptr<T> take() {
    for (std::atomic<T*>& place : places_)
      if (place.load(std::memory_order_relaxed) != nullptr)
        if (T* found = place.exchange(nullptr, std::memory_order_acquire)) return std::unique_ptr<T>(found);
    return nullptr;
  }

  /// Keeps the object, if there is room.
  void give(std::unique_ptr<T> object) {
    for (std::atomic<T*>& place : places_) {
      T* none = nullptr;
      if (!place.compare_exchange_strong(none, object.get(), std::memory_order_release, std::memory_order_relaxed))
        continue;
      static_cast<void>(object.release());
      return;
    }
  }

 private:
  /// As many as run side by side on a small machine.
  std::array<std::atomic<T*>, 4> places_{};
};

}  // namespace pawl
