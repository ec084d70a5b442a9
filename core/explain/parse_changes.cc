// The description of changes in JSON, read and checked.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/json.h"
#include "core/explain/change_list.h"

namespace qkv {
namespace {

constexpr const char* kWhole = "interventions";
constexpr const char* kKinds[] = {"off", "uniform", "hide", "add", "set", "temperature"};
constexpr const char* kAttentions[] = {"encoder", "decoder", "cross"};
constexpr const char* kSides[] = {"encoder", "decoder"};
constexpr const char* kBlocks[] = {"feedForward", "layer", "attention"};
constexpr const char* kFields[] = {"kind",  "attention", "layer",    "head",  "queries", "keys",
                                   "value", "weights",   "sentence", "block", "side"};
constexpr double kRowTolerance = 1e-3;  // of the sum of weights that are given

// "'a', 'b' or 'c'"
template <size_t kCount>
std::string ListOf(const char* const (&names)[kCount]) {
  std::string list;
  for (size_t i = 0; i < kCount; ++i) {
    list += (i == 0 ? "'" : i + 1 == kCount ? " or '" : ", '") + std::string(names[i]) + "'";
  }
  return list;
}

// Reads one change. Each step returns the first error.
class ChangeReader {
 public:
  ChangeReader(const Json& json, size_t number, const ChangeablePlaces& places)
      : json_(json), name_(kWhole + ("[" + std::to_string(number) + "]")), places_(places) {}

  Result<Change> Read() {
    if (!json_.IsObject()) return Wrong("", "must be an object such as {\"kind\": \"off\", \"attention\": \"cross\"}");
    QKV_CHECK(CheckNames());
    Change change;
    QKV_TRY(const std::optional<size_t> kind, Name("kind", kKinds));
    if (!kind) return Wrong("kind", "must be " + ListOf(kKinds));
    change.kind = static_cast<ChangeKind>(*kind);
    QKV_CHECK(ReadPlace(change));
    QKV_CHECK(CheckPlace(change));
    QKV_CHECK(ReadList("queries", change.queries));
    QKV_CHECK(ReadList("keys", change.keys));
    QKV_CHECK(CheckFieldsOfKind(change));
    if (const char* field = TableOf(change.kind)) QKV_CHECK(ReadTable(field, change));
    return change;
  }

 private:
  Error Wrong(const std::string& field, std::string message) const {
    return {ErrorCode::kInvalidArgument, std::move(message), field.empty() ? name_ : name_ + "." + field};
  }
  const Json* Field(const char* field) const {
    const auto member = json_.FindMember(field);
    return member == json_.MemberEnd() || member->value.IsNull() ? nullptr : &member->value;
  }
  static const char* TableOf(ChangeKind kind) {
    if (kind == ChangeKind::kSet) return "weights";
    return kind == ChangeKind::kAdd || kind == ChangeKind::kTemperature ? "value" : nullptr;
  }

  Result<void> CheckNames() const {
    for (const auto& member : json_.GetObject()) {
      const std::string_view name(member.name.GetString(), member.name.GetStringLength());
      if (std::find(std::begin(kFields), std::end(kFields), name) != std::end(kFields)) continue;
      return Wrong(std::string(name.substr(0, 40)), "there is no such field: the fields are " + ListOf(kFields));
    }
    return {};
  }

  template <size_t kCount>
  Result<std::optional<size_t>> Name(const char* field, const char* const (&names)[kCount]) const {
    const Json* value = Field(field);
    if (value == nullptr) return std::optional<size_t>();
    for (size_t i = 0; value->IsString() && i < kCount; ++i) {
      if (std::string_view(value->GetString(), value->GetStringLength()) == names[i]) return std::optional<size_t>(i);
    }
    return Wrong(field, "must be " + ListOf(names));
  }

  Result<void> Place(const char* field, std::optional<size_t>& to) const {
    const Json* value = Field(field);
    if (value == nullptr) return {};
    if (!value->IsUint64() || value->GetUint64() > kLargestPlace) {
      return Wrong(field, "must be a whole number from 0 to " + std::to_string(kLargestPlace));
    }
    to = static_cast<size_t>(value->GetUint64());
    return {};
  }

  Result<void> ReadPlace(Change& change) const {
    QKV_TRY(const std::optional<size_t> attention, Name("attention", kAttentions));
    if (attention) change.attention = static_cast<AttentionKind>(*attention);
    QKV_TRY(const std::optional<size_t> block, Name("block", kBlocks));
    if (block && *block < 2) change.block = static_cast<Block>(*block);
    QKV_TRY(const std::optional<size_t> side, Name("side", kSides));
    if (side) change.decodes = *side == 1;
    QKV_CHECK(Place("layer", change.layer));
    QKV_CHECK(Place("head", change.head));
    return Place("sentence", change.sentence);
  }

  // That the model has the place.
  Result<void> CheckPlace(const Change& change) const {
    if (change.block) return CheckBlock(change);
    if (Field("side") != nullptr) return Wrong("side", "is for the blocks 'feedForward' and 'layer'");
    const AttentionShape* const shapes[] = {&places_.encoder, &places_.decoder, &places_.cross};
    size_t layers = 0, heads = 0;
    for (size_t i = 0; i < std::size(shapes); ++i) {
      if (change.attention && static_cast<size_t>(*change.attention) != i) continue;
      layers = std::max(layers, shapes[i]->layers);
      if (!change.layer || *change.layer < shapes[i]->layers) heads = std::max(heads, shapes[i]->heads);
    }
    if (layers == 0) {
      return Error{ErrorCode::kUnsupported, "the model has no such attention", name_ + ".attention"};
    }
    QKV_CHECK(CheckBelow("layer", change.layer, layers));
    return CheckBelow("head", change.head, heads);
  }

  Result<void> CheckBlock(const Change& change) const {
    if (change.kind != ChangeKind::kOff) return Wrong("kind", "must be 'off' for a feed-forward block or a layer");
    for (const char* field : {"attention", "head", "queries", "keys"}) {
      if (Field(field) != nullptr)
        return Wrong(field, "is for attention: a feed-forward block or a layer is off whole");
    }
    const size_t encoder = change.decodes.value_or(false) ? 0 : places_.encoder_blocks;
    const size_t decoder = change.decodes.value_or(true) ? places_.decoder_blocks : 0;
    if (encoder + decoder == 0) {
      return Error{ErrorCode::kUnsupported, "the model has no such layers with feed-forward blocks", name_ + ".block"};
    }
    return CheckBelow("layer", change.layer, std::max(encoder, decoder));
  }

  Result<void> CheckBelow(const char* field, const std::optional<size_t>& place, size_t count) const {
    if (!place || *place < count) return {};
    return Wrong(field, "there is no " + std::string(field) + " " + std::to_string(*place) + ": the last one is " +
                            std::to_string(count - 1));
  }

  Result<void> CheckFieldsOfKind(const Change& change) const {
    const char* const table = TableOf(change.kind);
    for (const char* field : {"value", "weights"}) {
      const bool is_wanted = table != nullptr && std::string_view(table) == field;
      if (Field(field) != nullptr && !is_wanted) return Wrong(field, "is for another kind");
      if (Field(field) == nullptr && is_wanted) return Wrong(field, "is missing");
    }
    if (change.kind == ChangeKind::kHide && change.keys.empty()) return Wrong("keys", "must name the keys to hide");
    if (change.kind == ChangeKind::kTemperature && !change.keys.empty()) {
      return Wrong("keys", "a temperature is for whole rows");
    }
    return {};
  }

  Result<void> ReadList(const char* field, std::vector<size_t>& to) const {
    const Json* list = Field(field);
    if (list == nullptr) return {};
    const auto wrong = [&] {
      return Wrong(field, "must be a list of places, whole numbers from 0 to " + std::to_string(kLargestPlace));
    };
    if (!list->IsArray() || list->Empty()) return wrong();
    for (const Json& place : list->GetArray()) {
      if (!place.IsUint64() || place.GetUint64() > kLargestPlace) return wrong();
      to.push_back(static_cast<size_t>(place.GetUint64()));
    }
    return {};
  }

  // A number, a list of one number for each key, or a matrix [queries][keys].
  Result<void> ReadTable(const char* field, Change& change) const {
    const Json& value = *Field(field);
    ChangeTable& table = change.table;
    if (value.IsNumber() && change.kind != ChangeKind::kSet) {
      table.values.push_back(value.GetFloat());
      return CheckNumbers(field, change);
    }
    if (change.kind == ChangeKind::kTemperature) return Wrong(field, "must be a number above 0");
    const char* const what = change.kind == ChangeKind::kSet
                                 ? "must be a list of weights, or a matrix [queries][keys] of them"
                                 : "must be a number, a list of numbers, or a matrix [queries][keys] of them";
    if (!value.IsArray() || value.Empty()) return Wrong(field, what);
    table.is_row = !value[0].IsArray();
    if (table.is_row) {
      if (!ReadRow(value, table)) return Wrong(field, what);
    } else {
      for (const Json& row : value.GetArray()) {
        if (!row.IsArray() || row.Empty() || !ReadRow(row, table)) return Wrong(field, what);
      }
      if (!change.queries.empty() && change.queries.size() != value.Size()) {
        return Wrong(field, "must have one row for each of the queries, " + std::to_string(change.queries.size()));
      }
    }
    if (!change.keys.empty() && change.keys.size() != table.columns) {
      return Wrong(field, "must have one number for each of the keys, " + std::to_string(change.keys.size()));
    }
    return CheckNumbers(field, change);
  }

  // False if it is no row of numbers, or not as long as the rows before.
  static bool ReadRow(const Json& row, ChangeTable& table) {
    if (table.columns == 0) table.columns = row.Size();
    if (row.Size() != table.columns) return false;
    for (const Json& number : row.GetArray()) {
      if (!number.IsNumber()) return false;
      table.values.push_back(number.GetFloat());
    }
    return true;
  }

  Result<void> CheckNumbers(const char* field, const Change& change) const {
    constexpr float kMost = 1e9f;
    const std::vector<float>& values = change.table.values;
    double sum = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!(std::abs(values[i]) <= kMost)) return Wrong(field, "must have numbers of at most 1e9");
      if (change.kind == ChangeKind::kTemperature && values[i] < 1e-9f) return Wrong(field, "must be above 1e-9");
      if (change.kind != ChangeKind::kSet) continue;
      if (values[i] < 0) return Wrong(field, "must have no weights below 0");
      sum += static_cast<double>(values[i]);
      if ((i + 1) % change.table.columns != 0) continue;
      if (std::abs(sum - 1) > kRowTolerance) {
        return Wrong(field, "each row must sum to 1; row " + std::to_string(i / change.table.columns) + " does not");
      }
      sum = 0;
    }
    return {};
  }

  const Json& json_;
  std::string name_;
  const ChangeablePlaces& places_;
};

}  // namespace

Result<std::shared_ptr<const ChangeList>> ParseChanges(std::string_view text, const ChangeablePlaces& places) {
  const Result<std::unique_ptr<rapidjson::Document>> parsed = ParseJson(text, kWhole, kLargestConfig);
  if (!parsed) {
    const bool is_large = parsed.error().code == ErrorCode::kLimitExceeded;
    return Error{is_large ? ErrorCode::kLimitExceeded : ErrorCode::kInvalidArgument, parsed.error().message, kWhole};
  }
  const Json& document = *parsed.value();
  std::vector<Change> changes;
  if (!document.IsArray()) {
    return Error{ErrorCode::kInvalidArgument, "must be a list of changes", kWhole};
  }
  if (document.Size() > kMostChanges) {
    return Error{ErrorCode::kLimitExceeded, "there may be " + std::to_string(kMostChanges) + " changes", kWhole};
  }
  for (rapidjson::SizeType i = 0; i < document.Size(); ++i) {
    QKV_TRY(Change change, ChangeReader(document[i], i, places).Read());
    changes.push_back(std::move(change));
  }
  return std::shared_ptr<const ChangeList>(std::make_shared<ChangeList>(std::move(changes)));
}

}  // namespace qkv
