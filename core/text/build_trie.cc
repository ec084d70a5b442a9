// Builds a trie. This is a separate file because it is compiled for size; the look-ups in trie.cc are compiled for
// speed.
#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "core/base/budget.h"
#include "core/text/trie.h"

namespace qkv {
namespace {

// A key's byte at `depth` as a number above 0; 0 if the key ends there.
size_t Step(const Trie::Entry& entry, size_t depth) {
  return depth < entry.key.size() ? size_t{static_cast<uint8_t>(entry.key[depth])} + 1 : 0;
}

// Orders keys by their Step: few by insertion, many by counting. `spare` is memory for a copy of them.
void Order(std::span<Trie::Entry> keys, size_t depth, std::vector<Trie::Entry>& spare) {
  constexpr size_t kFew = 16, kSteps = 257;
  if (keys.size() <= kFew) {
    for (size_t i = 1; i < keys.size(); ++i) {
      for (size_t j = i; j > 0 && Step(keys[j], depth) < Step(keys[j - 1], depth); --j) std::swap(keys[j], keys[j - 1]);
    }
    return;
  }
  uint32_t begin[kSteps + 1] = {};
  for (const Trie::Entry& entry : keys) ++begin[Step(entry, depth) + 1];
  for (size_t step = 1; step < kSteps; ++step) begin[step] += begin[step - 1];
  spare.assign(keys.begin(), keys.end());
  for (const Trie::Entry& entry : spare) keys[begin[Step(entry, depth)]++] = entry;
}

}  // namespace

// The range of keys that pass through a node.
struct Trie::Range {
  uint32_t begin, end;
};

// Level by level: the keys of a node are ordered by their next byte, and each byte becomes a child. So the time is
// linear in the length of all keys.
Result<Trie> Trie::Build(std::vector<Entry> entries, std::string_view where) {
  Trie trie;
  if (entries.empty()) return trie;
  size_t most = 1;  // nodes
  for (const Entry& entry : entries) most += entry.key.size();
  // Two lists of ranges, each of which grows, and the entries that are being ordered.
  const uint64_t levels = (uint64_t{6} * sizeof(Range) + sizeof(Entry)) * entries.size();
  QKV_CHECK(CheckMemory(levels + most * (sizeof(uint32_t) + sizeof(uint8_t) + sizeof(int32_t)), kTooLarge, where));
  trie.first_child_.reserve(most + 1);
  trie.labels_.reserve(most);
  trie.values_.reserve(most);
  trie.first_child_.clear();
  std::vector<Entry> spare;
  std::vector<Range> level = {{0, static_cast<uint32_t>(entries.size())}}, next_level;
  for (size_t depth = 0; !level.empty(); ++depth) {
    for (const Range& keys : level) {
      const std::span<Entry> own(&entries[keys.begin], keys.end - keys.begin);
      Order(own, depth, spare);
      if (own.size() > 1 && Step(own[1], depth) == 0) {
        const std::string id = std::to_string(std::max(own[0].value, own[1].value));
        return Error{ErrorCode::kInvalidFile, "piece " + id + " is there twice", std::string(where)};
      }
      trie.AddChildren(entries, keys, depth, &next_level);
    }
    level.swap(next_level);
    next_level.clear();
  }
  trie.first_child_.push_back(static_cast<uint32_t>(trie.labels_.size()));
  trie.first_child_.shrink_to_fit();
  trie.labels_.shrink_to_fit();
  trie.values_.shrink_to_fit();
  for (uint32_t child = 1; child < trie.first_child_[1]; ++child) trie.root_child_[trie.labels_[child]] = child;
  return trie;
}

// `keys` of `sorted` are ordered by the byte at `depth`.
void Trie::AddChildren(const std::vector<Entry>& sorted, Range keys, size_t depth, std::vector<Range>* next_level) {
  const size_t node = first_child_.size();
  first_child_.push_back(static_cast<uint32_t>(labels_.size()));
  uint32_t i = keys.begin;
  if (sorted[i].key.size() == depth) values_[node] = sorted[i++].value;
  while (i < keys.end) {
    const char byte = sorted[i].key[depth];
    const uint32_t begin = i;
    while (i < keys.end && sorted[i].key[depth] == byte) ++i;
    labels_.push_back(static_cast<uint8_t>(byte));
    values_.push_back(-1);
    next_level->push_back({begin, i});
  }
}

}  // namespace qkv
