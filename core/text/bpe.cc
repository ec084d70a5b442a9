#include "core/text/bpe.h"

#include <algorithm>
#include <utility>

#include "core/text/utf.h"

namespace qkv {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

class PairMerger {
 public:
  PairMerger(std::string_view text, const Vocabulary& vocabulary) : text_(text), vocabulary_(vocabulary) {}

  std::vector<Segment> Run() {
    Split();
    for (uint32_t i = 1; i < symbols_.size(); ++i) Propose(i - 1, i);
    MergeAll();
    std::sort(splits_.begin(), splits_.end());
    std::vector<Segment> segments;
    for (uint32_t i = symbols_.empty() ? kNone : 0; i != kNone; i = symbols_[i].next) Emit(symbols_[i], &segments);
    return segments;
  }

 private:
  // A part of the text; no part is left of it once it was joined to the one before.
  struct Symbol {
    uint32_t begin, length;
    uint32_t previous, next;
    bool frozen;  // user-defined: joins nothing
  };

  struct Pair {
    float score;
    uint32_t left, right, length;
    // Orders the heap: its greatest comes first.
    bool operator<(const Pair& other) const {
      return score < other.score || (score == other.score && left > other.left);
    }
  };

  // What an unused piece was made of. The last pair seen counts.
  struct SplitOf {
    int32_t id;
    uint32_t order;
    uint32_t left;  // bytes
    bool operator<(const SplitOf& other) const { return id < other.id || (id == other.id && order < other.order); }
  };

  void Split() {
    symbols_.reserve(text_.size());
    for (size_t at = 0; at < text_.size();) {
      const std::string_view rest = text_.substr(at);
      size_t length = vocabulary_.user_defined().LongestPrefix(rest);
      const bool frozen = length > 0;
      if (!frozen) length = std::min(AnnouncedLength(rest[0]), rest.size());
      const auto i = static_cast<uint32_t>(symbols_.size());
      const uint32_t next = length == rest.size() ? kNone : i + 1;
      symbols_.push_back(
          {static_cast<uint32_t>(at), static_cast<uint32_t>(length), i == 0 ? kNone : i - 1, next, frozen});
      at += length;
    }
  }

  // Puts two neighbours on the heap, if they make a piece.
  void Propose(uint32_t left, uint32_t right) {
    if (left == kNone || right == kNone || symbols_[left].frozen || symbols_[right].frozen) return;
    const uint32_t length = symbols_[left].length + symbols_[right].length;
    const int32_t id = vocabulary_.pieces().Find(text_.substr(symbols_[left].begin, length));
    if (id < 0) return;
    heap_.push_back({vocabulary_.Score(id), left, right, length});
    std::push_heap(heap_.begin(), heap_.end());
    if (vocabulary_.Type(id) != PieceType::kUnused) return;
    splits_.push_back({id, static_cast<uint32_t>(splits_.size()), symbols_[left].length});
  }

  void MergeAll() {
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end());
      const Pair pair = heap_.back();
      heap_.pop_back();
      Symbol &left = symbols_[pair.left], &right = symbols_[pair.right];
      // One of the two may have been joined to another since.
      if (left.length == 0 || right.length == 0 || left.length + right.length != pair.length) continue;
      left.length = pair.length;
      left.next = right.next;
      right.length = 0;
      if (left.next != kNone) symbols_[left.next].previous = pair.left;
      Propose(left.previous, pair.left);
      Propose(pair.left, left.next);
    }
  }

  // Emits a symbol's piece; an unused one, which only helps to reach others, as the pair that it was last made of.
  void Emit(const Symbol& symbol, std::vector<Segment>* segments) {
    std::vector<std::pair<uint32_t, uint32_t>> parts = {{symbol.begin, symbol.begin + symbol.length}};
    while (!parts.empty()) {
      const auto [begin, end] = parts.back();
      parts.pop_back();
      const int32_t id = vocabulary_.Find(text_.substr(begin, end - begin));
      const uint32_t left = id < 0 ? 0 : LeftOf(id);
      if (left == 0) {
        segments->push_back({id < 0 ? vocabulary_.unknown_id() : id, end});
      } else {
        parts.emplace_back(begin + left, end);
        parts.emplace_back(begin, begin + left);
      }
    }
  }

  // The length of the left half of an unused piece; 0 for one not made of a pair.
  uint32_t LeftOf(int32_t id) const {
    if (vocabulary_.Type(id) != PieceType::kUnused) return 0;
    const auto after = std::upper_bound(splits_.begin(), splits_.end(), SplitOf{id, UINT32_MAX, 0});
    return after == splits_.begin() || std::prev(after)->id != id ? 0 : std::prev(after)->left;
  }

  std::string_view text_;
  const Vocabulary& vocabulary_;
  std::vector<Symbol> symbols_;
  std::vector<Pair> heap_;
  std::vector<SplitOf> splits_;
};

}  // namespace

std::vector<Segment> CutByPairs(std::string_view normalized, const Vocabulary& vocabulary) {
  return PairMerger(normalized, vocabulary).Run();
}

}  // namespace qkv
