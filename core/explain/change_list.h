// The changes that a user wants in a model's forward, as JSON: a list of changes, each at a place. The fields are in
// web/docs/interventions.md. It is read and checked once; while a model runs, nothing can fail.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attention/interventions.h"
#include "core/base/error.h"
#include "core/models/sequence_config.h"

namespace qkv {

// What a model has that can be changed.
struct ChangeablePlaces {
  AttentionShape encoder, decoder, cross;         // attention; no layers where the model has none
  size_t encoder_blocks = 0, decoder_blocks = 0;  // layers that can be switched off, with feed-forward blocks

  // Of an encoder-decoder.
  static ChangeablePlaces Of(const SequenceConfig& config);
  // Of a Transformer with an encoder alone.
  static ChangeablePlaces OfEncoder(size_t layers, size_t heads) { return {{layers, heads}, {}, {}, layers, 0}; }
  // Of one with a decoder alone.
  static ChangeablePlaces OfDecoder(size_t layers, size_t heads) { return {{}, {layers, heads}, {}, 0, layers}; }
};

enum class ChangeKind { kOff, kUniform, kHide, kAdd, kSet, kTemperature };

// Places of queries or of keys in the order in which they were given. A long list is searched as fast as a short one.
class PlaceList {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  PlaceList() = default;
  PlaceList(std::initializer_list<size_t> places) : PlaceList(std::vector<size_t>(places)) {}
  explicit PlaceList(const std::vector<size_t>& places);

  bool empty() const { return sorted_.empty(); }
  size_t size() const { return sorted_.size(); }
  // The index of the first `place` in the list; kNone if it is not there. An empty list names all places: place i has
  // index i.
  size_t Find(size_t place) const;

 private:
  std::vector<std::pair<size_t, size_t>> sorted_;  // places with their numbers
};

// Numbers for queries and keys: one for all; or a row of one number for each key, the same for all queries; or a
// matrix.
struct ChangeTable {
  size_t columns = 0;  // 0: values[0] is for all
  bool is_row = false;
  std::vector<float> values;
};

struct Change {
  ChangeKind kind = ChangeKind::kOff;
  std::optional<Block> block = {};  // absent: attention
  std::optional<AttentionKind> attention = {};
  std::optional<bool> decodes = {};  // of a block: its side
  std::optional<size_t> layer = {}, head = {}, sentence = {};
  PlaceList queries = {}, keys = {};  // empty: all
  ChangeTable table = {};             // of kAdd, kSet and kTemperature
};

class ChangeList : public PassChanges {
 public:
  explicit ChangeList(std::vector<Change> changes) : changes_(std::move(changes)) {}

  bool ChangedSoftmax(size_t sentence, const ChangedRow& row) const override;
  bool IsOff(size_t sentence, Block block, bool decodes, size_t layer) const override;

 private:
  std::vector<Change> changes_;
};

inline constexpr size_t kMostChanges = 1000;
// The largest place of a query, a key or a sentence.
inline constexpr size_t kLargestPlace = 1'000'000;

// Reads a list of changes and checks it against what the model has. Errors: kInvalidArgument names the change and its
// field, `interventions[2].layer`; kUnsupported for what the model does not have; kLimitExceeded.
Result<std::shared_ptr<const ChangeList>> ParseChanges(std::string_view json, const ChangeablePlaces& places);

}  // namespace qkv
