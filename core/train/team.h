// What the processes of a run tell each other, apart from gradients. A run of one process has a team too: it has nobody
// to tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/error.h"
#include "core/train/processes.h"

namespace qkv {

class Team {
 public:
  // Null: one process. `processes` outlives the team.
  explicit Team(Processes* processes) : processes_(processes) {}

  size_t count() const { return processes_ != nullptr ? processes_->count() : 1; }
  size_t mine() const { return processes_ != nullptr ? processes_->mine() : 0; }
  bool first() const { return mine() == 0; }  // the one that writes files and reports

  // All processes call each of these functions at the same place. Errors: those of the transport, and those that are
  // named.

  // Success where all succeeded. Otherwise the error of the first process that failed: process 0 gets it with that
  // process's number, the others get an error whose message is kFirstSaysWhy.
  static constexpr const char* kFirstSaysWhy = "process 0 says why";
  Result<void> Agree(const Result<void>& mine);
  // Sums each number over all processes, in the order of the processes: all get the same bits.
  Result<void> Sum(std::span<double> numbers);
  // Errors: kInvalidArgument with `message` and the number of a process, if its hash is not that of process 0.
  Result<void> CheckSame(uint64_t hash, const std::string& message);
  // Everybody gets what process 0 has.
  Result<void> Spread(void* data, size_t bytes);
  Result<void> Spread(std::string& text);

 private:
  Result<void> Share(const void* mine, void* all, size_t bytes);
  Result<void> Wait(Result<Processes::Transfer> transfer);
  std::string Called(size_t process) const;

  Processes* processes_;
};

}  // namespace qkv
