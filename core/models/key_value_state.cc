#include "core/models/key_value_state.h"

#include <algorithm>
#include <cstring>

namespace qkv {
namespace {
constexpr size_t kFirstRows = 64;
constexpr size_t kFirstLength = 32;
}  // namespace

KeyValueState::KeyValueState(size_t layers, size_t dim, size_t hypotheses)
    : dim_(dim), hypotheses_(hypotheses), stores_(layers) {}

// The capacity for `rows` more rows.
size_t KeyValueState::RowsFor(size_t rows) const {
  if (used_ + rows <= capacity_) return capacity_;
  const size_t needed = std::max(used_ + rows, least_);
  if (most_ / 2 <= needed) return std::max(needed, most_);
  return std::max({needed, capacity_ * 2, kFirstRows});
}

// The stores grow one after the other, and each is copied when it grows. So are the paths, which Gather copies too.
uint64_t KeyValueState::Growth(size_t hypotheses, size_t count) const {
  const uint64_t rows = RowsFor(hypotheses * count),
                 length = std::max({length_ + count, 2 * path_capacity_, kFirstLength});
  const uint64_t stores = rows != capacity_ ? 2 * stores_.size() * rows * dim_ * sizeof(float) : 0;
  return stores + (2 * hypotheses * length + used_) * sizeof(int32_t);
}

void KeyValueState::Append(size_t count) {
  ReservePaths(length_ + count);
  fresh_ = hypotheses_ * count;
  ReserveRows(fresh_);
  for (size_t h = 0; h < hypotheses_; ++h) {
    int32_t* path = paths_.data() + h * path_capacity_ + length_;
    for (size_t i = 0; i < count; ++i) path[i] = static_cast<int32_t>(used_ + h * count + i);
  }
  used_ += fresh_;
  length_ += count;
}

// The rows of a path ascend, so the rows behind the last one of every path are free.
void KeyValueState::TakeBack(size_t count) {
  length_ -= count;
  used_ = 0;
  for (size_t h = 0; h < hypotheses_ && length_ != 0; ++h) {
    used_ = std::max(used_, static_cast<size_t>(path(h)[length_ - 1]) + 1);
  }
}

void KeyValueState::Gather(std::span<const int32_t> hypotheses) {
  gathered_.resize(hypotheses.size() * path_capacity_);
  for (size_t h = 0; h < hypotheses.size(); ++h) {
    std::copy_n(path(static_cast<size_t>(hypotheses[h])), length_, gathered_.data() + h * path_capacity_);
  }
  paths_.swap(gathered_);
  hypotheses_ = hypotheses.size();
}

void KeyValueState::ReservePaths(size_t length) {
  if (length <= path_capacity_) return;
  const size_t capacity = std::max({length, path_capacity_ * 2, kFirstLength});
  std::vector<int32_t> paths(hypotheses_ * capacity);
  for (size_t h = 0; h < hypotheses_; ++h) std::copy_n(path(h), length_, paths.data() + h * capacity);
  paths_.swap(paths);
  path_capacity_ = capacity;
}

// Rows that no path names are dropped before the stores grow.
void KeyValueState::ReserveRows(size_t rows) {
  if (used_ + rows <= capacity_) return;
  if (capacity_ != 0) used_ = DropDeadRows();
  if (used_ + rows <= capacity_ / 2) return;
  capacity_ = RowsFor(rows);
  for (Store& store : stores_) {
    for (AlignedFloats* floats : {&store.keys, &store.values}) {
      AlignedFloats grown(capacity_ * dim_);
      if (used_ != 0) std::memcpy(grown.data(), floats->data(), used_ * dim_ * sizeof(float));
      *floats = std::move(grown);
    }
  }
}

// Moves the rows in use to the front, keeping their order, and returns how many there are.
size_t KeyValueState::DropDeadRows() {
  // A row is in use if it is on the path of a hypothesis.
  std::vector<int32_t> to(used_, -1);
  for (size_t h = 0; h < hypotheses_; ++h) {
    for (size_t i = 0; i < length_; ++i) to[static_cast<size_t>(path(h)[i])] = 0;
  }
  // Rows move towards the front, so none is overwritten before it has moved.
  size_t live = 0;
  for (size_t row = 0; row < used_; ++row) {
    if (to[row] < 0) continue;
    to[row] = static_cast<int32_t>(live);
    if (live != row) {
      for (Store& store : stores_) {
        for (AlignedFloats* floats : {&store.keys, &store.values}) {
          std::memcpy(floats->data() + live * dim_, floats->data() + row * dim_, dim_ * sizeof(float));
        }
      }
    }
    ++live;
  }
  // The paths get the new numbers of the rows.
  for (size_t h = 0; h < hypotheses_; ++h) {
    int32_t* path = paths_.data() + h * path_capacity_;
    for (size_t i = 0; i < length_; ++i) path[i] = to[static_cast<size_t>(path[i])];
  }
  return live;
}

}  // namespace qkv
