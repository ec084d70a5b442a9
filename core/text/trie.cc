#include "core/text/trie.h"

#include <algorithm>
#include <string>

#include "core/base/budget.h"

namespace qkv {

// The range of sorted keys that pass through a node.
struct Trie::Range {
  uint32_t begin, end;
};

Result<Trie> Trie::Build(std::vector<Entry> entries, std::string_view where) {
  const auto less = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  std::make_heap(entries.begin(), entries.end(), less);
  std::sort_heap(entries.begin(), entries.end(), less);
  for (size_t i = 1; i < entries.size(); ++i) {
    if (entries[i - 1].key != entries[i].key) continue;
    const std::string id = std::to_string(std::max(entries[i - 1].value, entries[i].value));
    return Error{ErrorCode::kInvalidFile, "piece " + id + " is there twice", std::string(where)};
  }

  Trie trie;
  if (entries.empty()) return trie;
  // Counts the nodes: each key adds those that it does not share with the key before it.
  size_t nodes = 1;
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string_view key = entries[i].key, before = i == 0 ? std::string_view() : entries[i - 1].key;
    nodes += static_cast<size_t>(key.end() - std::mismatch(key.begin(), key.end(), before.begin(), before.end()).first);
  }
  const uint64_t levels = uint64_t{6} * sizeof(Range) * entries.size();  // two lists, each of which grows
  QKV_CHECK(CheckMemory(levels + nodes * (sizeof(uint32_t) + sizeof(uint8_t) + sizeof(int32_t)), kTooLarge, where));
  trie.first_child_.reserve(nodes + 1);
  trie.labels_.reserve(nodes);
  trie.values_.reserve(nodes);
  trie.first_child_.clear();
  std::vector<Range> level = {{0, static_cast<uint32_t>(entries.size())}}, next_level;
  for (size_t depth = 0; !level.empty(); ++depth) {
    for (const Range& keys : level) trie.AddChildren(entries, keys, depth, &next_level);
    level.swap(next_level);
    next_level.clear();
  }
  trie.first_child_.push_back(static_cast<uint32_t>(trie.labels_.size()));
  for (uint32_t child = 1; child < trie.first_child_[1]; ++child) trie.root_child_[trie.labels_[child]] = child;
  return trie;
}

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

uint32_t Trie::Child(uint32_t node, char byte) const {
  const auto label = static_cast<uint8_t>(byte);
  if (node == kRoot) return root_child_[label];
  uint32_t begin = first_child_[node], end = first_child_[node + 1];
  while (end - begin > 8) {
    const uint32_t middle = begin + (end - begin) / 2;
    (labels_[middle] <= label ? begin : end) = middle;
  }
  for (; begin < end; ++begin) {
    if (labels_[begin] == label) return begin;
  }
  return kNowhere;
}

uint32_t Trie::Walk(uint32_t node, std::string_view bytes) const {
  for (const char byte : bytes) {
    node = Child(node, byte);
    if (node == kNowhere) break;
  }
  return node;
}

size_t Trie::LongestPrefix(std::string_view text) const {
  size_t longest = 0;
  uint32_t node = kRoot;
  for (size_t i = 0; i < text.size(); ++i) {
    node = Child(node, text[i]);
    if (node == kNowhere) break;
    if (Value(node) >= 0) longest = i + 1;
  }
  return longest;
}

}  // namespace qkv
