// The engine of a WebAssembly instance, and the handles by which JavaScript names its objects. Handles are positive
// integers; 0 is never a handle. JavaScript owns every handle and frees it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/base/context.h"

namespace qkv::wasm {

template <class T>
class Handles {
 public:
  int Add(std::unique_ptr<T> object) {
    for (size_t i = 0; i < objects_.size(); ++i) {
      if (objects_[i] == nullptr) return objects_[i] = std::move(object), static_cast<int>(i + 1);
    }
    objects_.push_back(std::move(object));
    return static_cast<int>(objects_.size());
  }
  // Null for an unknown handle.
  T* Get(int handle) const {
    const auto index = static_cast<size_t>(handle) - 1;
    return index < objects_.size() ? objects_[index].get() : nullptr;
  }
  void Free(int handle) {
    if (Get(handle) != nullptr) objects_[static_cast<size_t>(handle) - 1].reset();
  }

 private:
  std::vector<std::unique_ptr<T>> objects_;
};

// The number of threads that compute, including the engine's own thread. It is set before anything is computed. Builds
// without threads always have one.
inline size_t& ThreadCount() {
  static size_t count = 1;
  return count;
}

// The arena and the pool that all jobs of this instance share.
inline Context& SharedContext() {
  static Arena arena;
  static ThreadPool pool(ThreadCount());
  static Context context{arena, pool};
  return context;
}

}  // namespace qkv::wasm
