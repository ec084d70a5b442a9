// The gradients of one update, summed over processes while the backward still runs.
//
// Gradients are put into buckets. A bucket starts as soon as its gradients are complete: each process adds up one part
// of it (AllToAll, then a sum in the order of the processes), and all get all sums (AllGather). Each process sends and
// receives 2 (n - 1) / n numbers for each weight, as in a ring (Patarasuk and Yuan 2009).
//
// Transfers move bytes and add nothing, so the order of each sum is known: the bits depend on the number of processes
// alone. MPI_Allreduce may add in an order of its own choice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/aligned.h"
#include "core/base/error.h"
#include "core/base/precision.h"
#include "core/train/batch.h"
#include "core/train/processes.h"
#include "core/train/trainer.h"

namespace qkv {

class GradientSum {
 public:
  // `wire`: the numbers that are sent. kBf16 halves the bytes; sums are made in float32. A bucket has about
  // `bucket` floats. Both objects outlive this one.
  static constexpr size_t kBucket = size_t{1} << 20;
  GradientSum(Processes& processes, Trainer& trainer, Precision wire, size_t bucket = kBucket);
  GradientSum(const GradientSum&) = delete;  // the tape holds its address
  GradientSum& operator=(const GradientSum&) = delete;
  ~GradientSum();

  // Computes the gradients of this process's batches, one or more, and sums those of all processes. The first one has
  // the number `first` in the update, whose batches have `pieces` target pieces in all. Returns the loss of this
  // process's batches. Errors: those of the transport.
  Result<Loss> Pass(std::span<const Batch> batches, size_t first, size_t pieces);

  uint64_t bytes() const;                    // that this process sends for one update
  double waited() const { return waited_; }  // seconds in all updates that the backward did not hide

 private:
  enum class Stage { kOpen, kAllToAll, kAllGather, kEnded };
  struct Bucket {
    std::vector<size_t> parameters;  // their places in Parameters::all()
    size_t part = 0;                 // floats that each process adds up
    std::vector<std::byte> sent, received;
    Stage stage = Stage::kOpen;
    Processes::Transfer transfer = 0;
  };

  void NoteProduct(const float* weights);
  void NoteBackward(size_t index);
  void MakeBuckets();
  void Start(Bucket& bucket);
  void AddParts(Bucket& bucket);
  void Take(Bucket& bucket);
  bool Advance();
  Result<void> Finish();
  size_t number_bytes() const { return wire_ == Precision::kBf16 ? 2 : 4; }
  std::vector<LearntParameter>& all() { return trainer_.parameters().all(); }

  Processes& processes_;
  Trainer& trainer_;
  Precision wire_;
  size_t bucket_floats_;
  std::vector<size_t> first_product_;  // of each parameter: the index of its first function on the tape; kNone
  std::vector<Bucket> buckets_;
  size_t scattered_ = 0, gathered_ = 0,
         ended_ = 0;  // number of buckets that have begun AllToAll, begun AllGather, ended: all processes use one order
  Result<void> outcome_;
  double waited_ = 0;
};

}  // namespace qkv
