#include "core/base/threads.h"

#include <algorithm>

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#define QKV_THREADS 1
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>
#else
#define QKV_THREADS 0
#endif

namespace qkv {

// Parts of a job for each thread. More than one, so that the others do the work of a thread that is late.
static constexpr size_t kPartsPerThread = 2;

#if QKV_THREADS
namespace {

// How often a worker looks for more work before it sleeps: about twenty microseconds, the time between two products of
// one decoding step. Waking a thread takes longer than that in a browser. Natively it does not, so nothing spins.
#ifdef __EMSCRIPTEN__
constexpr size_t kLooks = 1 << 14;
#else
constexpr size_t kLooks = 0;
#endif

template <class Condition>
bool ComesTrue(const Condition& condition) {
  for (size_t i = 0; i < kLooks; ++i) {
    if (condition()) return true;
  }
  return condition();
}

}  // namespace

// Each thread that is awake takes the next part of a job. A job never waits for a thread that has not started; at worst
// the calling thread does all parts itself.
struct ThreadPool::Workers {
  // Upper half: the job's number. Lower half: the parts that are not taken yet. A thread takes a part by counting down
  // while the job's number is unchanged, so it reads the job's data before that.
  std::atomic<uint64_t> open{0};
  std::atomic<const FunctionRef<void(size_t)>*> run{nullptr};
  std::atomic<size_t> unfinished{0};
  std::atomic<size_t> parked{0};
  std::atomic<bool> waiting{false};  // the calling thread, for the parts that other threads have taken
  bool stop = false;                 // guarded by mutex
  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> threads;

  explicit Workers(size_t count) {
    for (size_t i = 0; i < count; ++i) threads.emplace_back([this] { Loop(); });
  }
  ~Workers() {
    {
      std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (std::thread& t : threads) t.join();
  }

  bool AnyOpen() const { return static_cast<uint32_t>(open.load()) != 0; }

  void TakeParts() {
    uint64_t seen = open.load();
    while (static_cast<uint32_t>(seen) != 0) {
      const auto* job = run.load();
      if (!open.compare_exchange_weak(seen, seen - 1)) continue;
      (*job)(static_cast<uint32_t>(seen) - 1);
      if (unfinished.fetch_sub(1) == 1 && waiting.load()) {
        {
          const std::lock_guard lock(mutex);
        }
        done.notify_one();
      }
      seen = open.load();
    }
  }

  void Loop() {
    while (true) {
      TakeParts();
      if (ComesTrue([this] { return AnyOpen(); })) continue;
      std::unique_lock lock(mutex);
      ++parked;
      wake.wait(lock, [this] { return stop || AnyOpen(); });
      --parked;
      if (stop) return;
    }
  }

  // Calls job(part) for all parts, and waits for them.
  void Run(size_t parts, FunctionRef<void(size_t)> job) {
    run.store(&job);
    unfinished.store(parts);
    open.store(((open.load() >> 32) + 1) << 32 | parts);
    if (parked.load() > 0) {
      {
        const std::lock_guard lock(mutex);
      }
      wake.notify_all();
    }
    TakeParts();
    const auto finished = [this] { return unfinished.load() == 0; };
    if (ComesTrue(finished)) return;
    std::unique_lock lock(mutex);
    waiting = true;
    done.wait(lock, finished);
    waiting = false;
  }
};
#else
struct ThreadPool::Workers {
  explicit Workers(size_t) {}
  void Run(size_t, FunctionRef<void(size_t)> run) { run(0); }
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
  const size_t parts = std::min(chunks, size_ * kPartsPerThread);
  workers_->Run(parts, [&](size_t part) {
    const size_t begin = chunks * part / parts * grain;
    run(begin, std::min(chunks * (part + 1) / parts * grain, count));
  });
}

}  // namespace qkv
