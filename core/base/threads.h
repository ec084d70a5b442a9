// A pool of threads. Work is divided by rows or columns of outputs, never within a sum, so results do not depend on the
// number of threads. Workers sleep between jobs. In a browser they first spin for some microseconds.
#pragma once

#include <cstddef>
#include <memory>

#include "core/base/function_ref.h"

namespace qkv {

class ThreadPool {
 public:
  // `threads` counts the calling thread: 1 starts none.
  explicit ThreadPool(size_t threads = 1);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  size_t size() const { return size_; }

  // Calls run(begin, end) over parts that cover [0, count), from several threads at once, and waits for all. Parts are
  // multiples of `grain` (the last one may be shorter). Not to be called from within `run`.
  void For(size_t count, size_t grain, FunctionRef<void(size_t begin, size_t end)> run);

 private:
  struct Workers;
  size_t size_;
  std::unique_ptr<Workers> workers_;  // null when size_ is 1
};

}  // namespace qkv
