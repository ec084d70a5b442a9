// Communication between the processes of a run, apart from gradients. A run of one process has a group too; its
// functions then send nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/error.h"
#include "core/train/processes.h"

namespace qkv {

class ProcessGroup {
 public:
  // Null: one process. `processes` outlives the group.
  explicit ProcessGroup(Processes* processes) : processes_(processes) {}

  size_t count() const { return processes_ != nullptr ? processes_->count() : 1; }
  size_t rank() const { return processes_ != nullptr ? processes_->rank() : 0; }
  bool first() const { return rank() == 0; }  // the one that writes files and reports
  Processes* processes() const { return processes_; }

  // All processes call each of these functions at the same place. Errors: those of the transport, and those that are
  // named.

  // Each process passes its own outcome. If all succeeded, all get success. If any failed, all get an error: process 0
  // gets the error of the lowest-numbered process that failed, with its number; the others get "process 0 has the
  // reason".
  Result<void> Agree(const Result<void>& mine);
  // Whether Agree has found a failure. If so, it has returned an error in every process.
  bool all_failed() const { return all_failed_; }
  // Sums each number over all processes, in the order of the processes: all get the same bits.
  Result<void> Sum(std::span<double> numbers);
  // Errors: kInvalidArgument with `message` and the number of a process, if its hash is not that of process 0.
  Result<void> CheckSame(uint64_t hash, const std::string& message);
  // Every process gets the data of process 0.
  Result<void> Broadcast(void* data, size_t bytes);
  Result<void> Broadcast(std::string& text);

 private:
  Result<void> AllGather(const void* mine, void* all, size_t bytes);
  Result<void> Wait(Result<Processes::Transfer> transfer);
  std::string Called(size_t process) const;

  Processes* processes_;
  bool all_failed_ = false;
};

}  // namespace qkv
