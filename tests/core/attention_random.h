// Random problems for any score of the list, with any parameters.
#pragma once

#include <memory>
#include <string>

#include "tests/core/attention_goldens.h"

namespace qkv {

struct ProblemSizes {
  size_t heads = 1, key_heads = 1, queries = 5, keys = 7, query_dim = 6, key_dim = 6, value_dim = 3, first_query = 0;
  size_t hidden = 5;
};

// "[seed, factor, offset]" with a fresh seed.
inline std::string Fresh(uint32_t& seed, double factor = 1, double offset = 0) {
  return "[" + std::to_string(++seed) + "," + std::to_string(factor) + "," + std::to_string(offset) + "]";
}

// How many rows or columns a parameter of that kind has.
inline size_t NumberOf(ParameterSize size, const ProblemSizes& s) {
  switch (size) {
    case ParameterSize::kOne:
      return 1;
    case ParameterSize::kQueryDim:
      return s.query_dim;
    case ParameterSize::kKeyDim:
      return s.key_dim;
    case ParameterSize::kBothDims:
      return s.query_dim + s.key_dim;
    case ParameterSize::kHidden:
      return s.hidden;
    case ParameterSize::kKeysAtLeast:
      return s.keys;
    case ParameterSize::kValueDim:
      return s.value_dim;
    case ParameterSize::kOdd:
      return 5;
    case ParameterSize::kOneOrTwo:
      return 2;
  }
  return 0;
}

// A parameter for each head. Optional parameters are left out, so the score uses its defaults.
inline std::string RandomParameters(const Score& score, const ProblemSizes& s, uint32_t& seed) {
  std::string list;
  for (const ParameterSpec& spec : score.parameters) {
    if (spec.optional) continue;
    list += (list.empty() ? "\"" : ",\"") + std::string(spec.name) + "\":{\"shape\":[" + std::to_string(s.heads) + "," +
            std::to_string(NumberOf(spec.rows, s)) + "," + std::to_string(NumberOf(spec.columns, s)) +
            "],\"values\":" + Fresh(seed) + "}";
  }
  return "{" + list + "}";
}

// Entries uniform in [-factor, factor); `factor` has at most six decimals.
inline std::unique_ptr<AttentionProblem> RandomProblem(const Score& score, const ProblemSizes& s, uint32_t seed = 1,
                                                       double factor = 1) {
  seed *= 1000;
  std::string text = "{\"score\":\"" + std::string(score.name) + "\",\"per_head\":true";
  const auto add = [&](const char* name, const std::string& value) {
    text += ",\"" + std::string(name) + "\":" + value;
  };
  add("heads", std::to_string(s.heads));
  add("key_heads", std::to_string(s.key_heads));
  add("queries", std::to_string(s.queries));
  add("keys", std::to_string(s.keys));
  add("query_dim", std::to_string(s.query_dim));
  add("key_dim", std::to_string(s.key_dim));
  add("value_dim", std::to_string(s.value_dim));
  add("first_query", std::to_string(s.first_query));
  add("query", Fresh(seed, factor));
  add("key", Fresh(seed, factor));
  add("value", Fresh(seed));
  add("parameters", RandomParameters(score, s, seed));
  const Result<JsonObject> json = JsonObject::Parse(text + "}", "random problem");
  return std::make_unique<AttentionProblem>(json.value().root());
}

// The call of the problem, with only the score set.
inline Attention CallOf(const AttentionProblem& problem) {
  Attention call;
  call.score = problem.score;
  call.parameters = problem.parameters.list();
  call.mask.first_query = problem.first_query;
  return call;
}

inline Attention CallOf(const AttentionProblem& problem, SelectionKind selection) {
  Attention call = CallOf(problem);
  call.selection.kind = selection;
  return call;
}

inline AttentionOutcome Attended(const AttentionProblem& problem) {
  return Attended(CallOf(problem), problem.Inputs());
}

inline constexpr SelectionKind kSelections[] = {
    SelectionKind::kSoft,    SelectionKind::kArgmax,    SelectionKind::kSampled, SelectionKind::kGate,
    SelectionKind::kMaxPool, SelectionKind::kSparsemax, SelectionKind::kEntmax};

}  // namespace qkv
