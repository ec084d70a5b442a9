#include "core/text/bpe.h"

#include <algorithm>
#include <utility>

#include "core/text/utf.h"

namespace qkv {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

class PairMerger {
 public:
  PairMerger(std::string_view text, const Vocabulary& vocabulary, float dropout, Random* random)
      : text_(text), vocabulary_(vocabulary), dropout_(dropout), random_(random) {}

  std::vector<Segment> Run() {
    Split();
    for (uint32_t i = 1; i < symbols_.size(); ++i) Propose(i - 1, i);
    MergeAll();
    std::make_heap(splits_.begin(), splits_.end());
    std::sort_heap(splits_.begin(), splits_.end());
    std::vector<Segment> segments;
    for (uint32_t i = symbols_.empty() ? kNone : 0; i != kNone; i = symbols_[i].next) Emit(symbols_[i], &segments);
    return segments;
  }

 private:
  // A part of the text. Its length is 0 after it was joined to the part before it.
  struct Symbol {
    uint32_t begin, length;
    uint32_t previous, next;
    uint32_t node;  // the node of its text in the trie of pieces
    bool frozen;    // user-defined: never joined
  };

  struct Pair {
    float score;
    uint32_t left, right, length;
    uint32_t node;
    // Orders the heap: the greatest pair comes first.
    bool operator<(const Pair& other) const {
      return score < other.score || (score == other.score && left > other.left);
    }
  };

  // The pair that an unused piece was joined from. The last pair seen counts.
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
      const uint32_t node = vocabulary_.pieces().Descend(Trie::kRoot, rest.substr(0, length));
      symbols_.push_back(
          {static_cast<uint32_t>(at), static_cast<uint32_t>(length), i == 0 ? kNone : i - 1, next, node, frozen});
      at += length;
    }
  }

  // Puts two neighbours on the heap if their union is a piece.
  void Propose(uint32_t left, uint32_t right) {
    if (left == kNone || right == kNone) return;
    const Symbol &a = symbols_[left], &b = symbols_[right];
    if (a.frozen || b.frozen || a.node == Trie::kNowhere) return;
    const uint32_t node = vocabulary_.pieces().Descend(a.node, text_.substr(b.begin, b.length));
    const int32_t id = vocabulary_.pieces().Value(node);
    if (id < 0 || !vocabulary_.StandsForText(id)) return;
    heap_.push_back({vocabulary_.Score(id), left, right, a.length + b.length, node});
    std::push_heap(heap_.begin(), heap_.end());
    if (vocabulary_.Type(id) != PieceType::kUnused) return;
    splits_.push_back({id, static_cast<uint32_t>(splits_.size()), a.length});
  }

  void MergeAll() {
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end());
      const Pair pair = heap_.back();
      heap_.pop_back();
      Symbol &left = symbols_[pair.left], &right = symbols_[pair.right];
      // One of the two may have been joined to another since.
      if (left.length == 0 || right.length == 0 || left.length + right.length != pair.length) continue;
      if (random_ != nullptr && random_->Uniform() < dropout_) {
        dropped_.push_back(pair);
        continue;
      }
      left.length = pair.length;
      left.node = pair.node;
      left.next = right.next;
      right.length = 0;
      if (left.next != kNone) symbols_[left.next].previous = pair.left;
      Propose(left.previous, pair.left);
      Propose(pair.left, left.next);
      ProposeDropped();
    }
  }

  // A pair that dropout left out in one step may be joined in the next.
  void ProposeDropped() {
    for (const Pair& pair : dropped_) {
      heap_.push_back(pair);
      std::push_heap(heap_.begin(), heap_.end());
    }
    dropped_.clear();
  }

  // Emits a symbol's piece. An unused piece only helps to reach longer pieces; it is emitted as the pair that it was
  // last joined from.
  void Emit(const Symbol& symbol, std::vector<Segment>* segments) {
    std::vector<std::pair<uint32_t, uint32_t>> parts = {{symbol.begin, symbol.begin + symbol.length}};
    while (!parts.empty()) {
      const auto [begin, end] = parts.back();
      parts.pop_back();
      const int32_t id = vocabulary_.Find(text_.substr(begin, end - begin));
      const bool known = id >= 0 && vocabulary_.StandsForText(id);
      const uint32_t left = known ? LeftOf(id) : 0;
      if (left == 0) {
        segments->push_back({known ? id : vocabulary_.unknown_id(), end});
      } else {
        parts.emplace_back(begin + left, end);
        parts.emplace_back(begin, begin + left);
      }
    }
  }

  // The length of the left half of an unused piece; 0 for a piece that was not joined from a pair.
  uint32_t LeftOf(int32_t id) const {
    if (vocabulary_.Type(id) != PieceType::kUnused) return 0;
    const auto after = std::upper_bound(splits_.begin(), splits_.end(), SplitOf{id, UINT32_MAX, 0});
    return after == splits_.begin() || std::prev(after)->id != id ? 0 : std::prev(after)->left;
  }

  std::string_view text_;
  const Vocabulary& vocabulary_;
  float dropout_;
  Random* random_;  // null: nothing is left out
  std::vector<Symbol> symbols_;
  std::vector<Pair> heap_, dropped_;
  std::vector<SplitOf> splits_;
};

}  // namespace

std::vector<Segment> CutByPairs(std::string_view normalized, const Vocabulary& vocabulary) {
  return PairMerger(normalized, vocabulary, 0, nullptr).Run();
}

std::vector<Segment> CutByPairs(std::string_view normalized, const Vocabulary& vocabulary, float dropout,
                                Random& random) {
  return PairMerger(normalized, vocabulary, dropout, &random).Run();
}

}  // namespace qkv
