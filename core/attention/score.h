// A score function gives one number for a query and a key. Each score is one file in core/attention/scores and one line
// of core/attention/scores.cc. Every score works with every selection, window, mask and head layout, and can be traced.
//
// A score has two parts. Some work is done once for the keys and once for the queries, such as a product with a matrix.
// The rest is a sum over pairs: a matrix product for the dot family, another loop for the other scores.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/attention/heads.h"
#include "core/attention/relative.h"
#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/base/trainable.h"
#include "core/kernels/packed.h"
#include "core/kernels/pairwise.h"

namespace qkv {

// How many rows or columns a parameter has.
enum class ParameterSize { kOne, kQueryDim, kKeyDim, kBothDims, kHidden, kKeysAtLeast, kValueDim, kOdd, kOneOrTwo };

// Their names in lists, in the order of ParameterSize.
inline constexpr std::string_view kParameterSizeNames[] = {
    "1", "queryDim", "keyDim", "queryDim + keyDim", "hidden", "keys or more", "valueDim", "2r + 1", "1 or 2"};

// [rows, columns], named as in the score's equation. kHidden is any number, the same one throughout a score.
struct ParameterSpec {
  std::string_view name;
  ParameterSize rows, columns;
  bool optional = false;  // the score's file says which default it has
};

// A parameter's values, [1, rows, columns] for all heads or [heads, rows, columns].
struct Parameter {
  std::string_view name;
  ConstHeads value;
};

struct PairsGradient;
struct ScoreBackward;

// Sum over pairs: fills p.scores.
using PairSum = void (*)(const Pairs& p);
using PairSumBackward = void (*)(const Pairs& p, const PairsGradient& g);

// The keys of one head, prepared for queries. It lives as long as the arena's mark.
struct PreparedScore {
  ConstRows keys;              // [keys, n]: the caller's own rows, or mapped ones in the arena
  bool places = false;         // row j of keys belongs to place j, whatever the key there
  PackedMatrix query_map;      // [n, query dim]; empty: queries are not mapped
  bool unit_queries = false;   // queries are divided by their length
  float scale = 1;             // queries are multiplied by it
  PairSum pair_sum = nullptr;  // null: the product q k'
  PairSumBackward pair_sum_backward = nullptr;
  const float* pair_weight = nullptr;  // [n], where the sum has weights
  float slope = 0;                     // slope |t - j| is subtracted
  RelativeTable relative;              // by the distance j - t: a number is added to the score
  RelativeTable relative_values;       // a row is added to the value; not in max pooling
};

// What a score is prepared from: the keys and parameters of one head.
struct ScoreInputs {
  ConstRows keys;
  size_t query_dim = 0;
  size_t head = 0, heads = 1;  // of the queries
  std::span<const Parameter> parameters;

  // This head's parameter [rows, columns]; without data where it is not given.
  ConstRows operator[](std::string_view name) const;
};

struct Score {
  std::string_view name;      // in lists: "additive"
  std::string_view equation;  // "w_v' tanh(W_q q + W_k k)"
  std::string_view source;    // the paper
  bool same_dims;             // queries and keys must have one size
  std::span<const ParameterSpec> parameters;
  void (*prepare)(const ScoreInputs& in, Arena& arena, PreparedScore& out);  // out.keys is in.keys already
  void (*backward)(const ScoreBackward& b);  // core/attention/score_backward.h; null where nothing learns
};

// All scores, in the order of lists.
std::span<const Score* const> Scores();
// Null if no score has that name.
const Score* FindScore(std::string_view name);

// Null if there is none of that name.
const Parameter* FindParameter(std::span<const Parameter> parameters, std::string_view name);

// Checks that the parameters are those of the score and that their shapes fit `query_dim`, `key_dim`, `keys` and
// `heads`. The error names the parameter, or the scores that fit these sizes.
Result<void> CheckScore(const Score& score, std::span<const Parameter> parameters, size_t heads, size_t query_dim,
                        size_t key_dim, size_t keys);

// Helpers for the scores. MapRows: x W' in the arena, x [rows, inputs], W [outputs, inputs].
ConstRows MapRows(ConstRows x, ConstRows weight, Arena& arena);
// W, or with `transposed` W', packed.
PackedMatrix PackRows(ConstRows weight, bool transposed = false);
// Divides each row by its length. A row of zeros stays.
void DivideByLength(Rows rows);

}  // namespace qkv
