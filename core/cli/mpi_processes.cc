#include "core/cli/mpi_processes.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/cli/command.h"

#ifdef QKV_MPI
#include <mpi.h>
#endif

namespace qkv::cli {
namespace {

size_t NumberIn(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoul(text, nullptr, 10) : 0;
}

// The number of processes that this one was started with: by Open MPI's mpirun, by another mpirun, or by Slurm's srun
// --mpi=pmix.
size_t ProcessesByEnvironment() {
  const size_t by_srun = std::getenv("PMIX_RANK") != nullptr ? NumberIn("SLURM_STEP_NUM_TASKS") : 1;
  return std::max({size_t{1}, NumberIn("OMPI_COMM_WORLD_SIZE"), NumberIn("PMI_SIZE"), by_srun});
}

}  // namespace

#ifdef QKV_MPI
namespace {

Error Failed(int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {ErrorCode::kUnsupported, std::string(text), "MPI"};
}

// AllToAll has one communicator, AllGather and Broadcast have another, so that only the order within each matters.
class MpiProcesses : public Processes {
 public:
  MpiProcesses() {
    for (MPI_Comm* copy : {&all_to_all_, &gathers_}) {
      MPI_Comm_dup(MPI_COMM_WORLD, copy);
      MPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN);
    }
    MPI_Comm_size(all_to_all_, &count_);
    MPI_Comm_rank(all_to_all_, &rank_);
  }
  size_t count() const override { return static_cast<size_t>(count_); }
  size_t rank() const override { return static_cast<size_t>(rank_); }

  Result<Transfer> AllToAll(const void* parts, void* received, size_t bytes) override {
    const int size = static_cast<int>(bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    return Begun(MPI_Ialltoall(parts, size, MPI_BYTE, received, size, MPI_BYTE, all_to_all_, &request), request);
  }
  Result<Transfer> AllGather(const void* mine, void* all, size_t bytes) override {
    const int size = static_cast<int>(bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    return Begun(MPI_Iallgather(mine, size, MPI_BYTE, all, size, MPI_BYTE, gathers_, &request), request);
  }
  Result<Transfer> Broadcast(void* data, size_t bytes) override {
    MPI_Request request = MPI_REQUEST_NULL;
    return Begun(MPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, 0, gathers_, &request), request);
  }
  Result<bool> Ended(Transfer transfer) override {
    int ended = 0;
    const int code = MPI_Test(&requests_[transfer], &ended, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return Failed(code);
    return ended != 0;
  }

 private:
  // MPI_Test clears a request that has ended, so its place is free again.
  Result<Transfer> Begun(int code, MPI_Request request) {
    if (code != MPI_SUCCESS) return Failed(code);
    for (size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] != MPI_REQUEST_NULL) continue;
      requests_[i] = request;
      return i;
    }
    requests_.push_back(request);
    return requests_.size() - 1;
  }

  MPI_Comm all_to_all_ = MPI_COMM_NULL, gathers_ = MPI_COMM_NULL;
  int count_ = 1, rank_ = 0;
  std::vector<MPI_Request> requests_;
};

// Runs at the exit of this process, after its last message.
void AbortOthers() {
  int parted = 0;
  MPI_Finalized(&parted);
  if (parted == 0) MPI_Abort(MPI_COMM_WORLD, kFailed);
}

}  // namespace

MpiRun MpiRun::Start() {
  MpiRun mpi;
  const size_t count = ProcessesByEnvironment();
  if (count == 1) return mpi;
  int level = 0, found = 1;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) Fail("MPI cannot be started");
  std::atexit(AbortOthers);
  MPI_Comm_size(MPI_COMM_WORLD, &found);
  if (static_cast<size_t>(found) != count) {
    Fail("was started as one of " + std::to_string(count) + " processes by another MPI than the one it was built with");
  }
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
  int local_count = 1;
  MPI_Comm_size(local, &local_count);
  mpi.local_count_ = static_cast<size_t>(local_count);
  mpi.processes_ = std::make_unique<MpiProcesses>();
  return mpi;
}

void MpiRun::Finish() const {
  if (processes_ != nullptr) MPI_Finalize();
}

#else

MpiRun MpiRun::Start() {
  const size_t count = ProcessesByEnvironment();
  if (count == 1) return {};
  Fail("was started as one of " + std::to_string(count) +
       " processes, but was built without MPI: install libopenmpi-dev and build it again, or start one process");
}

void MpiRun::Finish() const {}

#endif

}  // namespace qkv::cli
