// A prefix tree over byte strings, stored level by level: the children of a node are adjacent, ordered by their byte,
// and end where the children of the next node begin. A node takes nine bytes and no pointers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace qkv {

class Trie {
 public:
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNowhere = 0;  // the root is not a child of any node

  struct Entry {
    std::string_view key;  // not empty
    int32_t value;         // >= 0
  };

  Trie() : Trie(1) {}
  // Errors: kInvalidFile if two entries have the same key.
  static Result<Trie> Build(std::vector<Entry> entries, std::string_view where);

  bool empty() const { return labels_.size() == 1; }
  // The child of `node` along `byte`, or kNowhere.
  uint32_t Child(uint32_t node, char byte) const;
  // The value of the key that ends at `node`, or -1.
  int32_t Value(uint32_t node) const { return values_[node]; }
  // The node that `bytes` lead to from `node`, or kNowhere.
  uint32_t Descend(uint32_t node, std::string_view bytes) const;
  // The value of `key`, which is not empty, or -1.
  int32_t Find(std::string_view key) const { return Value(Descend(kRoot, key)); }
  // The length of the longest key that `text` begins with, or 0.
  size_t LongestPrefix(std::string_view text) const;

 private:
  explicit Trie(size_t roots) : first_child_(roots + 1, 1), labels_(roots), values_(roots, -1) {}
  struct Range;
  void AddChildren(const std::vector<Entry>& sorted, Range keys, size_t depth, std::vector<Range>* next_level);

  std::vector<uint32_t> first_child_;  // [nodes + 1]
  std::vector<uint8_t> labels_;        // [nodes], the byte that leads to the node
  std::vector<int32_t> values_;        // [nodes]
  // The children of the root again, indexed by their byte. Most look-ups end after few steps. The root has many
  // children, so finding the first one would cost as much as all other steps (a tenth of the time of encoding).
  std::array<uint32_t, 256> root_child_{};
};

}  // namespace qkv
