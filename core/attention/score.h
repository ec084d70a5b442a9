// A score function says how much a query wants a key. Each is one file in core/attention/scores and one line of
// core/attention/scores.cc; whatever it is, it works with every selection, window, mask and head layout, and is traced.
//
// A score says what can be done to queries and to keys alone, once; what is left is a sum over pairs: a product for the
// dot family, another loop for the rest.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/attention/heads.h"
#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/base/trainable.h"
#include "core/kernels/packed.h"
#include "core/kernels/pairwise.h"

namespace qkv {

// What a parameter's rows or columns are as many as.
enum class Size { kOne, kQueryDim, kKeyDim, kBothDims, kHidden, kKeysAtLeast };

// In the order of Size: what the lists call them.
inline constexpr std::string_view kSizeNames[] = {"1",      "queryDim",    "keyDim", "queryDim + keyDim",
                                                  "hidden", "keys or more"};

// [rows, columns], named as in the score's equation. kHidden is free, but one number throughout a score.
struct ParameterSpec {
  std::string_view name;
  Size rows, columns;
  bool optional = false;  // the score's file says what it is then
};

// A parameter's values, [1, rows, columns] for all heads or [heads, rows, columns].
struct Parameter {
  std::string_view name;
  ConstHeads value;
};

struct PairsGradient;
struct ScoreBackward;

// Sum over pairs: scores of some queries, as `p` says, which is all set.
using PairSum = void (*)(const Pairs& p);
using PairSumBackward = void (*)(const Pairs& p, const PairsGradient& g);

// One head of a score, made ready to meet queries; lives as long as the arena's mark.
struct ReadyScore {
  ConstRows keys;              // [keys, n]: the caller's own rows, or mapped ones in the arena
  bool places = false;         // row j of keys is any key's at place j
  PackedMatrix query_map;      // [n, query dim]; empty: queries as they are
  bool unit_queries = false;   // queries are divided by their length
  float scale = 1;             // of queries
  PairSum pair_sum = nullptr;  // null: the product q k'
  PairSumBackward pair_sum_backward = nullptr;
  const float* pair_weight = nullptr;  // [n], where the sum has weights
  float slope = 0;                     // minus slope |t - j| is added
};

// What a score makes itself ready from: the keys and parameters of one head.
struct ScoreInputs {
  ConstRows keys;
  size_t query_dim = 0;
  size_t head = 0, heads = 1;  // of the queries
  std::span<const Parameter> parameters;

  // This head's parameter [rows, columns], or one without data.
  ConstRows operator[](std::string_view name) const;
};

struct Score {
  std::string_view name;      // in every list: "additive"
  std::string_view equation;  // "w_v' tanh(W_q q + W_k k)"
  std::string_view source;    // the paper
  bool same_dims;             // queries and keys must have one size
  std::span<const ParameterSpec> parameters;
  void (*ready)(const ScoreInputs& in, Arena& arena, ReadyScore& out);  // out.keys is in.keys already
  void (*backward)(const ScoreBackward& b);  // core/attention/score_backward.h; null where nothing learns
};

// All of them, in the order of the lists.
std::span<const Score* const> Scores();
// Null when there is none of that name.
const Score* FindScore(std::string_view name);

// Parameters are those of the score, their shapes fit `query_dim`, `key_dim`, `keys` and `heads`. The error names the
// parameter, or the scores that would do.
Result<void> CheckScore(const Score& score, std::span<const Parameter> parameters, size_t heads, size_t query_dim,
                        size_t key_dim, size_t keys);

// For the scores' files. x W' into the arena: x [rows, inputs], W [outputs, inputs].
ConstRows MapRows(ConstRows x, ConstRows weight, Arena& arena);
// W, or with `transposed` W', packed.
PackedMatrix PackRows(ConstRows weight, bool transposed = false);
// Each row divided by its length; a row of zeros stays.
void DivideByLength(Rows rows);

}  // namespace qkv
