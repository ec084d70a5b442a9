// The interface by which the processes that train one model exchange bytes, named as in MPI. core/cli/mpi_processes.h
// implements it by MPI.
#pragma once

#include <cstddef>

#include "core/base/error.h"

namespace qkv {

class Processes {
 public:
  virtual ~Processes() = default;
  virtual size_t count() const = 0;  // at least 2
  virtual size_t rank() const = 0;   // of this process, from 0

  // A transfer that has begun.
  using Transfer = size_t;
  // The next three functions begin a transfer and return at once. All processes begin the same transfers of a kind in
  // the same order. The memory must stay and must not be used until the transfer has ended. A size is at most
  // kMostBytes. Errors: those of the transport, from the first call that sees them.
  static constexpr size_t kMostBytes = size_t{1} << 30;

  // Part r of `parts` [count(), bytes] goes to process r. `received` [count(), bytes] gets the part for this process of
  // each process, in the order of their numbers.
  virtual Result<Transfer> AllToAll(const void* parts, void* received, size_t bytes) = 0;
  // `mine` [bytes] of each process goes to all: `all` [count(), bytes], in the order of their numbers.
  virtual Result<Transfer> AllGather(const void* mine, void* all, size_t bytes) = 0;
  // `data` [bytes] of process 0 goes to all.
  virtual Result<Transfer> Broadcast(void* data, size_t bytes) = 0;

  // Whether a transfer has ended; afterwards its number is invalid. Does not wait. Transfers may only progress while
  // this is called.
  virtual Result<bool> Ended(Transfer transfer) = 0;
};

}  // namespace qkv
