// The processes that `mpirun` starts together, by MPI.
#pragma once

#include <cstddef>
#include <memory>

#include "core/train/processes.h"

namespace qkv::cli {

class StartedTogether {
 public:
  // Fails if this process was started as one of several, and this build has no MPI or that of another library. A
  // process that ends without Part ends all others at once.
  static StartedTogether Join();

  // Null if this process was started alone.
  Processes* processes() const { return processes_.get(); }
  // How many of the processes are on this machine.
  size_t neighbours() const { return neighbours_; }
  // Ends the connection. All processes call this.
  void Part() const;

 private:
  std::unique_ptr<Processes> processes_;
  size_t neighbours_ = 1;
};

}  // namespace qkv::cli
