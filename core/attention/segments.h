// Rows, not padding: a batch is packed rows, and segment s is rows [begin(s), end(s)). Only attention sees segments.
#pragma once

#include <cstddef>
#include <vector>

namespace qkv {

class Segments {
 public:
  Segments() = default;
  // One, of `rows` rows.
  static Segments One(size_t rows) {
    Segments segments;
    segments.Add(rows);
    return segments;
  }

  void Add(size_t length) { offsets_.push_back(rows() + length); }

  size_t size() const { return offsets_.size() - 1; }
  size_t rows() const { return offsets_.back(); }
  size_t begin(size_t segment) const { return offsets_[segment]; }
  size_t end(size_t segment) const { return offsets_[segment + 1]; }
  size_t length(size_t segment) const { return end(segment) - begin(segment); }

 private:
  std::vector<size_t> offsets_ = {0};
};

}  // namespace qkv
