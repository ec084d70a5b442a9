// Any bytes as a list of changes to a forward pass. What is accepted acts on rows of logits: the weights stay finite,
// not below 0, and 0 where a key is masked.
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "core/explain/change_list.h"

namespace {

using namespace qkv;

constexpr float kMasked = -std::numeric_limits<float>::infinity();

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

// A row of logits, with some keys that the query may not see.
std::vector<float> Row(size_t keys, size_t query) {
  std::vector<float> logits(keys);
  for (size_t j = 0; j < keys; ++j) {
    const bool masked = (j + query) % 5 == 3 || query == 4;
    logits[j] = masked ? kMasked : std::sin(static_cast<float>(3 * j + query)) * 20;
  }
  return logits;
}

void ChangeRows(const ChangeList& changes, AttentionKind kind, const AttentionShape& shape) {
  for (size_t i = 0; i < shape.layers * shape.heads; ++i) {
    for (size_t query = 0; query < 6; ++query) {
      const size_t keys = 2 * query + 1;
      const std::vector<float> logits = Row(keys, query);
      std::vector<float> weights = logits;
      changes.ChangedSoftmax(query % 2, {{kind, i / shape.heads}, i % shape.heads, query, 0, weights});
      double sum = 0;
      for (size_t j = 0; j < keys; ++j) {
        Require(std::isfinite(weights[j]) && weights[j] >= 0 && (logits[j] != kMasked || weights[j] == 0));
        sum += static_cast<double>(weights[j]);
      }
      Require(sum <= 1.002);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ChangeablePlaces translator = {{2, 2, 4}, {1, 2, 4}, {1, 2, 4}, 2, 1};
  const ChangeablePlaces recurrent = {{}, {}, {1, 1, 0}, 0, 0};
  for (const ChangeablePlaces& places :
       {translator, recurrent, ChangeablePlaces::OfEncoder(2, 2), ChangeablePlaces::OfDecoder(1, 3)}) {
    const auto parsed = ParseChanges(text, places);
    if (!parsed) {
      Require(!parsed.error().message.empty() && parsed.error().where.starts_with("interventions"));
      continue;
    }
    const ChangeList& changes = *parsed.value();
    ChangeRows(changes, AttentionKind::kEncoderSelf, places.encoder);
    ChangeRows(changes, AttentionKind::kDecoderSelf, places.decoder);
    ChangeRows(changes, AttentionKind::kCross, places.cross);
    for (const Block block : {Block::kFeedForward, Block::kLayer}) changes.IsOff(0, block, true, 0);
  }
  return 0;
}
