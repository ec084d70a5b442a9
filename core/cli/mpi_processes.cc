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

// As how many processes this one was started: by Open MPI's mpirun, by another one, or by Slurm's srun --mpi=pmix.
size_t Started() {
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

// Transfers of a kind have a communicator of their own, so that only their own order matters.
class MpiProcesses : public Processes {
 public:
  MpiProcesses() {
    for (MPI_Comm* copy : {&deals_, &shares_}) {
      MPI_Comm_dup(MPI_COMM_WORLD, copy);
      MPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN);
    }
    MPI_Comm_size(deals_, &count_);
    MPI_Comm_rank(deals_, &mine_);
  }
  size_t count() const override { return static_cast<size_t>(count_); }
  size_t mine() const override { return static_cast<size_t>(mine_); }

  Result<Transfer> Deal(const void* parts, void* received, size_t bytes) override {
    const int size = static_cast<int>(bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    return Begun(MPI_Ialltoall(parts, size, MPI_BYTE, received, size, MPI_BYTE, deals_, &request), request);
  }
  Result<Transfer> Share(const void* mine, void* all, size_t bytes) override {
    const int size = static_cast<int>(bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    return Begun(MPI_Iallgather(mine, size, MPI_BYTE, all, size, MPI_BYTE, shares_, &request), request);
  }
  Result<Transfer> Spread(void* data, size_t bytes) override {
    MPI_Request request = MPI_REQUEST_NULL;
    return Begun(MPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, 0, shares_, &request), request);
  }
  Result<bool> Ended(Transfer transfer) override {
    int ended = 0;
    const int code = MPI_Test(&requests_[transfer], &ended, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return Failed(code);
    return ended != 0;
  }

 private:
  // MPI_Test clears a request that has ended: its place is free again.
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

  MPI_Comm deals_ = MPI_COMM_NULL, shares_ = MPI_COMM_NULL;
  int count_ = 1, mine_ = 0;
  std::vector<MPI_Request> requests_;
};

// Runs when this process ends, after its last message.
void EndTheOthers() {
  int parted = 0;
  MPI_Finalized(&parted);
  if (parted == 0) MPI_Abort(MPI_COMM_WORLD, kFailed);
}

}  // namespace

StartedTogether StartedTogether::Join() {
  StartedTogether started;
  const size_t count = Started();
  if (count == 1) return started;
  int level = 0, found = 1;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) Fail("MPI cannot be started");
  std::atexit(EndTheOthers);
  MPI_Comm_size(MPI_COMM_WORLD, &found);
  if (static_cast<size_t>(found) != count) {
    Fail("was started as one of " + std::to_string(count) + " processes by another MPI than the one it was built with");
  }
  MPI_Comm beside = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &beside);
  int neighbours = 1;
  MPI_Comm_size(beside, &neighbours);
  started.neighbours_ = static_cast<size_t>(neighbours);
  started.processes_ = std::make_unique<MpiProcesses>();
  return started;
}

void StartedTogether::Part() const {
  if (processes_ != nullptr) MPI_Finalize();
}

#else

StartedTogether StartedTogether::Join() {
  const size_t count = Started();
  if (count == 1) return {};
  Fail("was started as one of " + std::to_string(count) +
       " processes, but was built without MPI: install libopenmpi-dev and build it again, or start one process");
}

void StartedTogether::Part() const {}

#endif

}  // namespace qkv::cli
