// Ranks cross-attention heads by how well they agree with IBM model 1's links between pieces. generation_config.json
// names the best as alignment heads.
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
  std::vector<int32_t> source_of;  // for each piece of the target its piece of the source, or -1
};

// `forward`: p(target | source); `reverse`: p(source | target), learnt from the same pairs with the sides exchanged.
PieceLinks LinkPieces(std::span<const int32_t> source, std::span<const int32_t> target, const Model1& forward,
                      const Model1& reverse);

class HeadRanking {
 public:
  using Head = std::pair<size_t, size_t>;  // layer, head

  // `cross`: [layers, heads, target, source] of one pair with these links. Every map must have the same heads.
  void Add(AttentionMap cross, PieceLinks links);

  size_t links() const { return links_; }
  // The share of linked target pieces whose largest weight, in the mean of these heads, is on their link.
  double Agreement(std::span<const Head> heads) const;
  std::vector<Head> Heads() const;
  // At most `most` heads, chosen greedily: each improves the heads before it most. Fewer if no head improves them.
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
