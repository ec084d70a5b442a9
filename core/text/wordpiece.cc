#include "core/text/wordpiece.h"

#include <algorithm>

namespace qkv {

std::vector<Segment> WordPiece::Cut(std::string_view word, const Trie& pieces) const {
  // A word that is too long, or cannot be cut, is unknown as a whole.
  const std::vector<Segment> none = {{unknown, static_cast<uint32_t>(word.size())}};
  const auto characters = std::count_if(word.begin(), word.end(), [](char c) { return (c & 0xC0) != 0x80; });
  if (static_cast<size_t>(characters) > longest) return none;
  // The node behind "##", from which pieces inside a word are looked up.
  const uint32_t inside = continuing.empty() ? Trie::kRoot : pieces.Descend(Trie::kRoot, continuing);
  if (!continuing.empty() && inside == Trie::kNowhere && word.size() > 1) {
    const int32_t whole = pieces.Find(word);  // no piece has the prefix, so no piece can continue a word
    return whole >= 0 ? std::vector<Segment>{{whole, none[0].end}} : none;
  }
  // The longest piece at each place, from left to right.
  std::vector<Segment> cut;
  for (size_t begin = 0; begin < word.size();) {
    uint32_t node = begin == 0 ? Trie::kRoot : inside;
    Segment best{-1, 0};
    for (size_t end = begin; end < word.size();) {
      node = pieces.Child(node, word[end++]);
      if (node == Trie::kNowhere) break;
      if (pieces.Value(node) >= 0) best = {pieces.Value(node), static_cast<uint32_t>(end)};
    }
    if (best.id < 0) return none;
    cut.push_back(best);
    begin = best.end;
  }
  return cut;
}

}  // namespace qkv
