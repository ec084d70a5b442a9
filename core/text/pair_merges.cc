#include "core/text/pair_merges.h"

#include <algorithm>

namespace qkv {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

uint64_t PairOf(int32_t left, int32_t right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
}

struct Symbol {
  int32_t id;
  uint32_t end;
  uint32_t previous, next;
  bool gone;  // it was joined to the symbol before it
};

struct Candidate {
  uint32_t rank, left;
  int32_t joined;
  // Orders the heap: the merge learnt first comes first.
  bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : left > other.left; }
};

}  // namespace

PairMerges::PairMerges(const std::vector<Merge>& merges) {
  entries_.reserve(merges.size());
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    entries_.push_back(
        {PairOf(merges[rank].left, merges[rank].right), static_cast<uint32_t>(rank), merges[rank].joined});
  }
  const auto less = [](const Entry& a, const Entry& b) { return a.pair != b.pair ? a.pair < b.pair : a.rank > b.rank; };
  std::make_heap(entries_.begin(), entries_.end(), less);
  std::sort_heap(entries_.begin(), entries_.end(), less);
}

const PairMerges::Entry* PairMerges::Find(int32_t left, int32_t right) const {
  const uint64_t pair = PairOf(left, right);
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), pair,
                                      [](const Entry& entry, uint64_t wanted) { return entry.pair < wanted; });
  return found != entries_.end() && found->pair == pair ? &*found : nullptr;
}

std::vector<Segment> PairMerges::Join(std::span<const Segment> parts) const {
  // Symbols are a list, so that two are joined without moving the others.
  std::vector<Symbol> symbols;
  symbols.reserve(parts.size());
  for (uint32_t i = 0; i < parts.size(); ++i) {
    symbols.push_back(
        {parts[i].id, parts[i].end, i == 0 ? kNone : i - 1, i + 1 == parts.size() ? kNone : i + 1, false});
  }
  // Pairs that may be joined, the one of the best rank first.
  std::vector<Candidate> heap;
  const auto propose = [&](uint32_t left) {
    if (left == kNone || symbols[left].next == kNone) return;
    const Entry* const entry = Find(symbols[left].id, symbols[symbols[left].next].id);
    if (entry == nullptr) return;
    heap.push_back({entry->rank, left, entry->joined});
    std::push_heap(heap.begin(), heap.end());
  };
  for (uint32_t i = 0; i < symbols.size(); ++i) propose(i);
  // The best pair is joined, which makes at most two new ones. Pairs that no longer exist stay in the heap and are
  // skipped.
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const Candidate best = heap.back();
    heap.pop_back();
    Symbol& left = symbols[best.left];
    if (left.gone || left.next == kNone) continue;
    Symbol& right = symbols[left.next];
    const Entry* const entry = Find(left.id, right.id);  // either may have been joined to another symbol since
    if (entry == nullptr || entry->joined != best.joined) continue;
    left.id = best.joined;
    left.end = right.end;
    left.next = right.next;
    right.gone = true;
    if (left.next != kNone) symbols[left.next].previous = best.left;
    propose(left.previous);
    propose(best.left);
  }
  // The symbols that are left.
  std::vector<Segment> joined;
  for (uint32_t i = symbols.empty() ? kNone : 0; i != kNone; i = symbols[i].next) {
    joined.push_back({symbols[i].id, symbols[i].end});
  }
  return joined;
}

}  // namespace qkv
