// The processes that one `mpirun` starts, by MPI.
#pragma once

#include <cstddef>
#include <memory>

#include "core/train/processes.h"

namespace qkv::cli {

class MpiRun {
 public:
  // Fails if this process was started as one of several, but this build has no MPI or was built with another MPI
  // library. A process that ends without Finish ends all others at once.
  static MpiRun Start();

  // Null if this process was started alone.
  Processes* processes() const { return processes_.get(); }
  // How many of the processes are on this machine.
  size_t local_count() const { return local_count_; }
  // Ends the connection. All processes call this.
  void Finish() const;

 private:
  std::unique_ptr<Processes> processes_;
  size_t local_count_ = 1;
};

}  // namespace qkv::cli
