// Which cross-attention heads look where a translator would: those that agree with IBM model 1's links between pieces.
// They are what generation_config.json names as alignment_heads.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/attention/trace.h"
#include "core/train/ibm_model1.h"

namespace qkv {

// Pieces of one pair that translate each other: those that both directions of the model link (the intersection of Och
// and Ney 2003, "A systematic comparison of various statistical alignment models").
struct PieceLinks {
  std::vector<int32_t> source_of;  // for each piece of the target one of the source, or -1
};

// `onward`: p(target | source); `back`: p(source | target), learnt from the same pairs turned round.
PieceLinks LinkPieces(std::span<const int32_t> source, std::span<const int32_t> target, const Model1& onward,
                      const Model1& back);

class HeadRanking {
 public:
  using Head = std::pair<size_t, size_t>;  // layer, head

  // `cross`: [layers, heads, target, source] of one pair, whose links are these. Every map has the same heads.
  void Add(AttentionMap cross, PieceLinks links);

  size_t links() const { return links_; }
  // Of all linked pieces of targets the share whose largest weight, in the mean of these heads, is on their link.
  double Agreement(std::span<const Head> heads) const;
  std::vector<Head> Heads() const;
  // At most `most` heads, each the one that helps those before it most; fewer where none does.
  std::vector<Head> Choose(size_t most) const;

 private:
  struct Pair {
    AttentionMap cross;
    PieceLinks links;
  };
  std::vector<Pair> pairs_;
  size_t links_ = 0;
};

}  // namespace qkv
