// The attention family's goldens (tests/goldens/README.md): inputs generated as the oracle generates them, and the
// engine's call for each combination.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/attend.h"
#include "tests/core/goldens.h"
#include "tests/core/kernel_testing.h"

namespace qkv {

// Uniform in [-1, 1), a multiple of 2^-23: MurmurHash3's finaliser of a counter.
inline float GeneratedValue(uint32_t seed, uint32_t i) {
  uint32_t h = seed * 0x9E3779B9u + i;
  h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
  h = (h ^ (h >> 13)) * 0xC2B2AE35u;
  h ^= h >> 16;
  return static_cast<float>(h >> 8) * 0x1p-23f - 1;
}

// value * factor + offset. `spec` is [seed], [seed, factor] or [seed, factor, offset].
inline std::vector<float> Generated(size_t count, const Json& spec) {
  const float factor = spec.Size() > 1 ? spec[1].GetFloat() : 1, offset = spec.Size() > 2 ? spec[2].GetFloat() : 0;
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = GeneratedValue(spec[0].GetUint(), static_cast<uint32_t>(i)) * factor + offset;
  }
  return values;
}

// Parameters {name: {shape, values}} of shape [1, rows, columns], or [heads, rows, columns] where `per_head`. The
// goldens' shapes leave out the first 1, and a vector is one row.
class GeneratedParameters {
 public:
  GeneratedParameters() = default;
  GeneratedParameters(const Json& arrays, bool per_head) {
    if (arrays.IsNull()) return;
    for (const auto& array : arrays.GetObject()) {
      std::vector<int32_t> shape = Ids(array.value["shape"]);
      if (!per_head) shape.insert(shape.begin(), 1);
      if (shape.size() == 2) shape.insert(shape.begin() + 1, 1);
      const auto heads = static_cast<size_t>(shape[0]), rows = static_cast<size_t>(shape[1]),
                 columns = static_cast<size_t>(shape[2]);
      data_.push_back(Generated(heads * rows * columns, array.value["values"]));
      names_.emplace_back(array.name.GetString());
      list_.push_back({names_.back(), Dense<const float>(data_.back().data(), heads, rows, columns)});
    }
  }

  const std::vector<Parameter>& list() const { return list_; }
  // the same for one head
  ConstRows Of(std::string_view name, size_t head) const {
    for (const Parameter& p : list_) {
      if (p.name == name) return p.value.Head(p.value.heads == 1 ? 0 : head);
    }
    return {};
  }
  ConstHeads Of(std::string_view name) const {
    for (const Parameter& p : list_) {
      if (p.name == name) return p.value;
    }
    return {};
  }

 private:
  std::list<std::vector<float>> data_;  // never reallocated
  std::list<std::string> names_;
  std::vector<Parameter> list_;
};

// What a combination asks for, except window, mask and selection.
struct AttentionProblem {
  explicit AttentionProblem(const Json& spec)
      : score(FindScore(spec["score"].GetString())),
        heads(spec["heads"].GetUint()),
        key_heads(spec["key_heads"].GetUint()),
        queries(spec["queries"].GetUint()),
        keys(spec["keys"].GetUint()),
        query_dim(spec["query_dim"].GetUint()),
        key_dim(spec["key_dim"].GetUint()),
        value_dim(spec["value_dim"].GetUint()),
        first_query(spec["first_query"].GetUint()),
        per_head(spec["per_head"].GetBool()),
        query(Generated(heads * queries * query_dim, spec["query"])),
        key(Generated(key_heads * keys * key_dim, spec["key"])),
        value(Generated(key_heads * keys * value_dim, spec["value"])),
        parameters(spec["parameters"], per_head) {}
  AttentionProblem(const AttentionProblem&) = delete;
  AttentionProblem& operator=(const AttentionProblem&) = delete;

  AttentionInputs Inputs() const {
    return {Dense(query.data(), heads, queries, query_dim), Dense(key.data(), key_heads, keys, key_dim),
            Dense(value.data(), key_heads, keys, value_dim)};
  }
  const float* Query(size_t head, size_t i) const { return query.data() + (head * queries + i) * query_dim; }
  const float* Key(size_t head, size_t j) const { return key.data() + (OfKeys(head) * keys + j) * key_dim; }
  const float* Value(size_t head, size_t j) const { return value.data() + (OfKeys(head) * keys + j) * value_dim; }
  // A value with the row of its distance, if the score has such rows.
  double MovedValue(size_t head, size_t query, size_t key, size_t column) const {
    const ConstRows rows = parameters.Of("A_v", head);
    const auto reach = static_cast<int64_t>(rows.rows / 2);
    const int64_t distance = static_cast<int64_t>(key) - static_cast<int64_t>(first_query + query);
    const double value = Value(head, key)[column];
    if (rows.data == nullptr) return value;
    return value + rows.Row(static_cast<size_t>(std::clamp(distance, -reach, reach) + reach))[column];
  }
  // A bound of |value| with the row of its distance, if the score has such rows.
  double ValueSize(size_t head, size_t j, size_t column) const {
    const ConstRows rows = parameters.Of("A_v", head);
    double largest = 0;
    for (size_t r = 0; r < rows.rows; ++r)
      largest = std::max(largest, std::abs(static_cast<double>(rows.Row(r)[column])));
    return std::abs(static_cast<double>(Value(head, j)[column])) + largest;
  }
  size_t OfKeys(size_t head) const { return head / (heads / key_heads); }

  const Score* score;
  size_t heads, key_heads, queries, keys, query_dim, key_dim, value_dim, first_query;
  bool per_head;
  std::vector<float> query, key, value;
  GeneratedParameters parameters;
};

inline SelectionKind SelectionOf(const std::string& name) {
  if (name == "soft") return SelectionKind::kSoft;
  if (name == "argmax") return SelectionKind::kArgmax;
  if (name == "sampled") return SelectionKind::kSampled;
  if (name == "gate") return SelectionKind::kGate;
  if (name == "sparsemax") return SelectionKind::kSparsemax;
  if (name == "entmax") return SelectionKind::kEntmax;
  EXPECT_EQ(name, "max-pool");
  return SelectionKind::kMaxPool;
}

// A problem with window and mask: the engine's call without the kind of selection.
class AttentionCase {
 public:
  AttentionCase(const AttentionProblem& problem, const Json& spec) : problem_(problem) {
    call_.score = problem.score;
    call_.parameters = problem.parameters.list();
    call_.selection.temperature = spec["temperature"].GetFloat();
    if (spec.HasMember("alpha")) call_.selection.alpha = spec["alpha"].GetFloat();
    call_.mask_used = spec.HasMember("pointer") && spec["pointer"]["mask_used"].GetBool();
    ReadWindow(spec["window"]);
    ReadMask(spec["mask"]);
  }
  AttentionCase(const AttentionCase&) = delete;
  AttentionCase& operator=(const AttentionCase&) = delete;

  Attention Call(const std::string& selection) const {
    Attention call = call_;
    call.selection.kind = SelectionOf(selection);
    return call;
  }
  const AttentionProblem& problem() const { return problem_; }
  const GeneratedParameters& window_parameters() const { return window_parameters_; }

  // What a mask adds to the score: a number, or -inf where it excludes the key.
  double Bias(size_t h, size_t i, size_t j) const {
    const Mask& mask = call_.mask;
    const size_t at = i * problem_.keys + j;
    if (mask.allowed != nullptr && mask.allowed[h * mask.allowed_head_stride + at] == 0) return kMasked;
    return mask.bias != nullptr ? mask.bias[h * mask.bias_head_stride + at] : 0;
  }

 private:
  void ReadWindow(const Json& spec) {
    const std::string kind = spec["kind"].GetString();
    if (kind == "global") return;
    call_.window.kind = kind == "local-m" ? WindowKind::kLocalM : WindowKind::kLocalP;
    call_.window.half_width = spec["half_width"].GetDouble();
    if (spec.HasMember("sinks")) call_.window.sinks = spec["sinks"].GetUint();
    if (spec.HasMember("centres")) {
      centres_ = Generated(problem_.heads * problem_.queries, spec["centres"]);
      call_.window.centres = Dense<const float>(centres_.data(), problem_.heads, problem_.queries, 1);
    } else if (kind == "local-p") {
      window_parameters_ = GeneratedParameters(spec["parameters"], problem_.per_head);
      call_.window.W_p = window_parameters_.Of("W_p");
      call_.window.v_p = window_parameters_.Of("v_p");
    }
  }

  void ReadMask(const Json& spec) {
    Mask& mask = call_.mask;
    mask.first_query = problem_.first_query;
    mask.causal = spec.HasMember("causal");
    if (spec.HasMember("key_length")) mask.padding_from = spec["key_length"].GetUint();
    const size_t size = problem_.queries * problem_.keys;
    if (spec.HasMember("allowed")) {
      const Json& array = spec["allowed"];
      mask.allowed_head_stride = array["per_head"].GetBool() ? size : 0;
      allowed_ = Below(array);
      for (const int32_t row : Ids(array["empty_rows"])) {
        for (size_t at = 0; at < allowed_.size(); at += size) {
          std::fill_n(allowed_.begin() + static_cast<ptrdiff_t>(at + static_cast<size_t>(row) * problem_.keys),
                      problem_.keys, uint8_t{0});
        }
      }
      mask.allowed = allowed_.data();
    }
    if (spec.HasMember("bias")) {
      const Json& array = spec["bias"];
      mask.bias_head_stride = array["per_head"].GetBool() ? size : 0;
      const std::vector<uint8_t> kept = Below(array);
      bias_ = Generated(kept.size(), array["values"]);
      for (size_t i = 0; i < kept.size(); ++i) bias_[i] = kept[i] != 0 ? bias_[i] : kMasked;
      mask.bias = bias_.data();
    }
  }

  // 1 where the value of `seed` is less than `below`. The shape is [queries, keys] or [heads, queries, keys].
  std::vector<uint8_t> Below(const Json& array) const {
    std::vector<uint8_t> below((array["per_head"].GetBool() ? problem_.heads : 1) * problem_.queries * problem_.keys);
    for (size_t i = 0; i < below.size(); ++i) {
      below[i] = GeneratedValue(array["seed"].GetUint(), static_cast<uint32_t>(i)) < array["below"].GetFloat() ? 1 : 0;
    }
    return below;
  }

  const AttentionProblem& problem_;
  Attention call_;
  std::vector<float> centres_, bias_;
  std::vector<uint8_t> allowed_;
  GeneratedParameters window_parameters_;
};

// The results of a call. Matrices are [heads * queries, ...].
struct AttentionOutcome {
  Guarded output, scores, logits, weights;
  std::vector<uint8_t> empty;
  std::vector<int32_t> chosen;
  std::vector<float> centres;
};

// Attends with or without a record, and checks that nothing is written outside the results.
inline AttentionOutcome Attended(const Attention& call, const AttentionInputs& in, bool keep = true,
                                 size_t threads = 1) {
  const size_t rows = in.query.heads * in.query.rows, keys = in.key.rows;
  AttentionOutcome out = {Guarded(rows, in.value.dim), Guarded(rows, keys),           Guarded(rows, keys),
                          Guarded(rows, keys),         std::vector<uint8_t>(rows, 2), std::vector<int32_t>(rows, -2),
                          std::vector<float>(rows, -1)};
  AttentionRecord record;
  if (keep) {
    record = {out.scores.data(), out.logits.data(), out.weights.data(),
              out.empty.data(),  out.chosen.data(), out.centres.data()};
  }
  Arena arena;
  ThreadPool pool(threads);
  Context ctx{arena, pool};
  const Result<void> checked = CheckAttention(call, in);
  EXPECT_TRUE(checked) << checked.error().ToString();
  if (!checked) return out;
  Attend(ctx, call, in, Dense(out.output.data(), in.query.heads, in.query.rows, in.value.dim), record);
  EXPECT_TRUE(out.output.Intact() && out.scores.Intact() && out.logits.Intact() && out.weights.Intact());
  return out;
}

}  // namespace qkv
