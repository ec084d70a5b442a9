// The keys and values of all pieces that a decoder has read. Rows are appended, and taken back from the end alone; a
// hypothesis is a path of row numbers, so beams that share a prefix share its rows, and reordering beams moves no keys.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/aligned.h"
#include "core/base/matrix.h"

namespace qkv {

class KeyValueState {
 public:
  // `hypotheses` empty paths over `layers` stores of rows of `dim`.
  KeyValueState(size_t layers, size_t dim, size_t hypotheses);

  size_t hypotheses() const { return hypotheses_; }
  size_t length() const { return length_; }  // positions read by every hypothesis

  // The number of rows that will be needed at least, and at most: they are allocated at once if the most is not above
  // twice the least, and growth ends there.
  void Expect(size_t least, size_t most) {
    least_ = least;
    most_ = most;
  }

  // The most bytes that Append(count) adds for `hypotheses` hypotheses.
  uint64_t Growth(size_t hypotheses, size_t count) const;
  // The most bytes of them that are one block.
  uint64_t GrowthBlock(size_t hypotheses, size_t count) const {
    return RowsFor(hypotheses * count) * dim_ * sizeof(float) + kCacheLine;
  }
  // Adds `count` positions to every hypothesis; row h * count + i is position length() + i of hypothesis h. Call once a
  // step, before the first layer.
  void Append(size_t count);
  // Forgets the last `count` positions of every hypothesis, at most length().
  void TakeBack(size_t count);
  // The rows that Append made, [hypotheses * count, dim], for a layer to project into.
  MatrixView NewKeys(size_t layer) { return Rows(stores_[layer].keys); }
  MatrixView NewValues(size_t layer) { return Rows(stores_[layer].values); }

  const float* keys(size_t layer) const { return stores_[layer].keys.data(); }
  const float* values(size_t layer) const { return stores_[layer].values.data(); }
  // The rows of a hypothesis, [length()].
  const int32_t* path(size_t hypothesis) const { return paths_.data() + hypothesis * path_capacity_; }

  void Gather(std::span<const int32_t> hypotheses);

 private:
  struct Store {
    AlignedFloats keys, values;  // [capacity_, dim]
  };

  MatrixView Rows(AlignedFloats& store) {
    return {store.data() + (used_ - fresh_) * dim_, static_cast<Eigen::Index>(fresh_), static_cast<Eigen::Index>(dim_)};
  }
  size_t RowsFor(size_t rows) const;
  void ReserveRows(size_t rows);
  void ReservePaths(size_t length);
  size_t DropDeadRows();

  size_t dim_, hypotheses_, length_ = 0;
  std::vector<Store> stores_;
  size_t capacity_ = 0, used_ = 0, fresh_ = 0;  // rows
  size_t least_ = 0, most_ = SIZE_MAX;          // that are expected
  std::vector<int32_t> paths_, gathered_;       // [hypotheses, path_capacity_]
  size_t path_capacity_ = 0;
};

}  // namespace qkv
