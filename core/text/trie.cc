#include "core/text/trie.h"

namespace qkv {

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

uint32_t Trie::Descend(uint32_t node, std::string_view bytes) const {
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
