// Owned floats aligned to a cache line, for packed weights, states and the arena.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace qkv {

inline constexpr size_t kCacheLine = 64;

class AlignedFloats {
 public:
  AlignedFloats() = default;
  // The floats are not initialised.
  explicit AlignedFloats(size_t size) : size_(size) {
    const size_t bytes = (size * sizeof(float) + kCacheLine - 1) / kCacheLine * kCacheLine;
    data_.reset(static_cast<float*>(std::aligned_alloc(kCacheLine, bytes == 0 ? kCacheLine : bytes)));
    if (data_ == nullptr) std::abort();  // callers check sizes first; there is no way to report this here
  }

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float, Free> data_;
  size_t size_ = 0;
};

}  // namespace qkv
