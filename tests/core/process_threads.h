// Processes of one test program: threads that exchange bytes through memory. Transfers end late and in any order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/train/processes.h"

namespace qkv {

class ProcessThreads {
 public:
  explicit ProcessThreads(size_t count) : count_(count) {}

  // Runs `work` once for each process, each in a thread of its own.
  void Run(const std::function<void(Processes&)>& work) {
    std::vector<std::thread> threads;
    std::vector<std::unique_ptr<Mine>> all;
    for (size_t i = 0; i < count_; ++i) all.push_back(std::make_unique<Mine>(*this, i));
    threads.reserve(count_);
    for (size_t i = 0; i < count_; ++i) threads.emplace_back([&work, &all, i] { work(*all[i]); });
    for (std::thread& thread : threads) thread.join();
  }

  // Called by each process when it begins an AllToAll.
  std::function<void(size_t process)> on_all_to_all;

 private:
  using Bytes = std::vector<std::byte>;
  struct Entry {
    std::vector<Bytes> given;
    size_t arrived = 0;
  };

  class Mine : public Processes {
   public:
    Mine(ProcessThreads& all, size_t mine) : all_(all), rank_(mine) {}
    size_t count() const override { return all_.count_; }
    size_t rank() const override { return rank_; }

    Result<Transfer> AllToAll(const void* parts, void* received, size_t bytes) override {
      if (all_.on_all_to_all) all_.on_all_to_all(rank_);
      return Begin("all to all", parts, bytes * count(), [this, received, bytes](const Entry& entry) {
        for (size_t r = 0; r < count(); ++r) Copy(entry.given[r], rank_ * bytes, bytes, received, r * bytes);
      });
    }
    Result<Transfer> AllGather(const void* mine, void* all, size_t bytes) override {
      return Begin("all gather", mine, bytes, [this, all, bytes](const Entry& entry) {
        for (size_t r = 0; r < count(); ++r) Copy(entry.given[r], 0, bytes, all, r * bytes);
      });
    }
    Result<Transfer> Broadcast(void* data, size_t bytes) override {
      return Begin("broadcast", data, bytes,
                   [data, bytes](const Entry& entry) { Copy(entry.given[0], 0, bytes, data, 0); });
    }
    Result<bool> Ended(Transfer transfer) override {
      if (++asked_ % (2 + transfer % 3) == 0) return false;  // late
      const std::lock_guard lock(all_.mutex_);
      const auto pending = pending_.find(transfer);
      const Entry& entry = all_.entries_[pending->second.first];
      if (entry.arrived < count()) return false;
      pending->second.second(entry);
      pending_.erase(pending);
      return true;
    }

   private:
    using Key = std::pair<std::string, size_t>;

    static void Copy(const Bytes& from, size_t at, size_t bytes, void* to, size_t offset) {
      std::copy_n(from.data() + at, bytes, static_cast<std::byte*>(to) + offset);
    }
    Transfer Begin(const char* kind, const void* data, size_t bytes, std::function<void(const Entry&)> take) {
      const std::lock_guard lock(all_.mutex_);
      const Key key = {kind, counts_[kind]++};
      Entry& entry = all_.entries_[key];
      entry.given.resize(count());
      const auto* const begin = static_cast<const std::byte*>(data);
      entry.given[rank_].assign(begin, begin + bytes);
      ++entry.arrived;
      pending_[begun_] = {key, std::move(take)};
      return begun_++;
    }

    ProcessThreads& all_;
    size_t rank_, begun_ = 0, asked_ = 0;
    std::map<std::string, size_t> counts_;
    std::map<Transfer, std::pair<Key, std::function<void(const Entry&)>>> pending_;
  };

  size_t count_;
  std::mutex mutex_;
  std::map<std::pair<std::string, size_t>, Entry> entries_;
};

}  // namespace qkv
