#include "core/base/threads.h"

#include <algorithm>

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#define QKV_THREADS 1
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>
#else
#define QKV_THREADS 0
#endif

namespace qkv {

#if QKV_THREADS
struct ThreadPool::Workers {
  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> threads;
  const FunctionRef<void(size_t)>* part = nullptr;
  size_t generation = 0, running = 0;
  bool stop = false;

  explicit Workers(size_t count) {
    for (size_t i = 0; i < count; ++i) threads.emplace_back([this, i] { Loop(i + 1); });
  }
  ~Workers() {
    {
      std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (std::thread& t : threads) t.join();
  }
  void Loop(size_t index) {
    size_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return stop || generation != seen; });
      if (stop) return;
      seen = generation;
      const auto* run = part;
      lock.unlock();
      (*run)(index);
      lock.lock();
      if (--running == 0) done.notify_one();
    }
  }
  // Part 0 runs on the calling thread.
  void Run(FunctionRef<void(size_t)> run) {
    {
      std::lock_guard lock(mutex);
      part = &run;
      running = threads.size();
      ++generation;
    }
    wake.notify_all();
    run(0);
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return running == 0; });
  }
};
#else
struct ThreadPool::Workers {
  explicit Workers(size_t) {}
  void Run(FunctionRef<void(size_t)> run) { run(0); }
};
#endif

ThreadPool::ThreadPool(size_t threads) : size_(QKV_THREADS ? std::max<size_t>(threads, 1) : 1) {
  if (size_ > 1) workers_ = std::make_unique<Workers>(size_ - 1);
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::For(size_t count, size_t grain, FunctionRef<void(size_t begin, size_t end)> run) {
  if (count == 0) return;
  const size_t chunks = (count + grain - 1) / grain;
  if (size_ == 1 || chunks == 1) return run(0, count);
  workers_->Run([&](size_t part) {
    const size_t begin = chunks * part / size_ * grain;
    const size_t end = std::min(chunks * (part + 1) / size_ * grain, count);
    if (begin < end) run(begin, end);
  });
}

}  // namespace qkv
