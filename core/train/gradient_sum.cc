#include "core/train/gradient_sum.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <utility>

#include "core/train/backoff.h"

namespace qkv {
namespace {

constexpr size_t kNone = SIZE_MAX;

// bfloat16: the upper half of a float, rounded to the nearest, ties to even. NaN stays NaN.
uint16_t ToBf16(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
float FromBf16(uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); }

// Numbers as they are sent, at `at` of some memory.
template <class F>
void EachSent(Precision wire, const std::byte* memory, size_t size, F&& take) {
  if (wire == Precision::kBf16) {
    const auto* const numbers = reinterpret_cast<const uint16_t*>(memory);
    for (size_t i = 0; i < size; ++i) take(i, FromBf16(numbers[i]));
  } else {
    const auto* const numbers = reinterpret_cast<const float*>(memory);
    for (size_t i = 0; i < size; ++i) take(i, numbers[i]);
  }
}
void Send(Precision wire, const float* from, size_t size, std::byte* memory) {
  if (wire == Precision::kBf16) {
    auto* const numbers = reinterpret_cast<uint16_t*>(memory);
    for (size_t i = 0; i < size; ++i) numbers[i] = ToBf16(from[i]);
  } else {
    std::memcpy(memory, from, size * sizeof(float));
  }
}

}  // namespace

GradientSum::GradientSum(Processes& processes, Trainer& trainer, Precision wire, size_t bucket)
    : processes_(processes), trainer_(trainer), wire_(wire), bucket_floats_(bucket) {}

GradientSum::~GradientSum() { trainer_.tape().on_product = nullptr; }

Result<Loss> GradientSum::Pass(std::span<const Batch> batches, size_t first, size_t pieces) {
  Tape& tape = trainer_.tape();
  trainer_.Begin();
  Loss loss;
  for (size_t i = 0; i < batches.size(); ++i) {
    // Gradients are complete only in the pass over the last batch.
    if (i + 1 == batches.size()) {
      first_product_.assign(all().size(), kNone);
      tape.on_product = [this](const float* weights, ConstMatrixView) { NoteProduct(weights); };
      tape.on_backward = [this](size_t index) { NoteBackward(index); };
    }
    loss += trainer_.Pass(batches[i], first + i, 1 / static_cast<float>(pieces));
  }
  tape.on_product = nullptr;
  tape.on_backward = nullptr;
  QKV_CHECK(Finish());
  return loss;
}

void GradientSum::NoteProduct(const float* weights) {
  for (size_t i = 0; i < all().size(); ++i) {
    if (all()[i].value == weights) first_product_[i] = std::min(first_product_[i], trainer_.tape().recorded());
  }
}

// The backward has run the functions from `index` on. The gradient of a weight of products is complete when the
// function of its first product has run. Tables of embeddings are used by other operations too: they come last.
void GradientSum::NoteBackward(size_t index) {
  while (outcome_ && scattered_ < buckets_.size()) {
    const auto complete = [&](size_t p) { return first_product_[p] != kNone && first_product_[p] >= index; };
    const std::vector<size_t>& parameters = buckets_[scattered_].parameters;
    if (!std::all_of(parameters.begin(), parameters.end(), complete)) break;
    Start(buckets_[scattered_]);
  }
  Advance();
}

// Weights of products in the order of the backward, about the reverse of the model's, then everything else.
void GradientSum::MakeBuckets() {
  std::vector<size_t> early, late;
  for (size_t i = all().size(); i-- > 0;) {
    const bool table = all()[i].start == qkv::Start::kEmbedding;
    (first_product_[i] != kNone && !table ? early : late).push_back(i);
  }
  for (const std::vector<size_t>& group : {early, late}) {
    size_t size = bucket_floats_;  // each group begins a bucket
    for (const size_t p : group) {
      if (size >= bucket_floats_) {
        buckets_.emplace_back();
        size = 0;
      }
      buckets_.back().parameters.push_back(p);
      size += all()[p].size;
    }
  }
  for (Bucket& bucket : buckets_) {
    size_t size = 0;
    for (const size_t p : bucket.parameters) size += all()[p].size;
    bucket.part = (size + processes_.count() - 1) / processes_.count();
    bucket.sent.resize(bucket.part * processes_.count() * number_bytes());
    bucket.received.resize(bucket.sent.size());
  }
}

void GradientSum::Start(Bucket& bucket) {
  // The parameters of the bucket one after the other, with zeros up to a multiple of the processes.
  std::byte* to = bucket.sent.data();
  for (const size_t p : bucket.parameters) {
    Send(wire_, all()[p].gradient.data(), all()[p].size, to);
    to += all()[p].size * number_bytes();
  }
  std::fill(to, bucket.sent.data() + bucket.sent.size(), std::byte{});
  // Process r gets part r of every process.
  const auto begun = processes_.AllToAll(bucket.sent.data(), bucket.received.data(), bucket.part * number_bytes());
  if (!begun) {
    outcome_ = begun.error();
    return;
  }
  bucket.transfer = begun.value();
  bucket.stage = Stage::kAllToAll;
  ++scattered_;
}

// Adds this process's part of all processes, in their order, in place of the first one, and gives it to all.
void GradientSum::AddParts(Bucket& bucket) {
  const size_t bytes = bucket.part * number_bytes();
  std::vector<float> sum(bucket.part);
  for (size_t r = 0; r < processes_.count(); ++r) {
    EachSent(wire_, bucket.received.data() + r * bytes, bucket.part,
             [&](size_t i, float x) { sum[i] = r == 0 ? x : sum[i] + x; });
  }
  Send(wire_, sum.data(), sum.size(), bucket.received.data());
  // Every process gets all sums.
  const auto begun = processes_.AllGather(bucket.received.data(), bucket.sent.data(), bytes);
  if (!begun) {
    outcome_ = begun.error();
    return;
  }
  bucket.transfer = begun.value();
  bucket.stage = Stage::kAllGather;
  ++gathered_;
}

// The sums become the gradients, in every process the same bits.
void GradientSum::Take(Bucket& bucket) {
  const std::byte* from = bucket.sent.data();
  for (const size_t p : bucket.parameters) {
    float* const gradient = all()[p].gradient.data();
    EachSent(wire_, from, all()[p].size, [&](size_t i, float x) { gradient[i] = x; });
    from += all()[p].size * number_bytes();
  }
  bucket.stage = Stage::kEnded;
  ++ended_;
}

// Moves each bucket to its next stage if its transfer has ended, without waiting. Returns whether one has moved.
bool GradientSum::Advance() {
  bool moved = false;
  for (size_t b = 0; b < scattered_ && outcome_; ++b) {
    Bucket& bucket = buckets_[b];
    // AllGather begins in the order of the buckets.
    if (bucket.stage == Stage::kAllToAll && gathered_ != b) break;
    if (bucket.stage != Stage::kAllToAll && bucket.stage != Stage::kAllGather) continue;
    const Result<bool> ended = processes_.Ended(bucket.transfer);
    if (!ended) {
      outcome_ = ended.error();
    } else if (ended.value()) {
      moved = true;
      bucket.stage == Stage::kAllToAll ? AddParts(bucket) : Take(bucket);
    }
  }
  return moved;
}

Result<void> GradientSum::Finish() {
  // The buckets that the backward has not started yet, then all transfers that have not ended.
  const auto start = std::chrono::steady_clock::now();
  if (buckets_.empty()) MakeBuckets();
  while (outcome_ && scattered_ < buckets_.size()) Start(buckets_[scattered_]);
  for (Backoff backoff; outcome_ && ended_ < buckets_.size();) {
    if (!Advance()) backoff.Pause();
  }
  for (Bucket& bucket : buckets_) bucket.stage = Stage::kOpen;
  scattered_ = gathered_ = ended_ = 0;
  waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::exchange(outcome_, {});
}

uint64_t GradientSum::bytes() const {
  uint64_t bytes = 0;
  for (const Bucket& bucket : buckets_) bytes += 2 * (processes_.count() - 1) * bucket.part * number_bytes();
  return bytes;
}

}  // namespace qkv
