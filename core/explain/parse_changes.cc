// The description of changes in JSON, read and checked.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>
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
constexpr float kRowTolerance = 1e-3f;  // of the sum of weights that are given
constexpr float kLargestNumber = 1e9f, kLeastTemperatureGiven = 1e-9f;

// "'a', 'b' or 'c'"
std::string ListOf(std::span<const char* const> names) {
  std::string list;
  for (size_t i = 0; i < names.size(); ++i) {
    list += i == 0 ? "'" : i + 1 == names.size() ? " or '" : ", '";
    list += names[i];
    list += "'";
  }
  return list;
}

// Reads one change. Every step returns false after the first error, which stays.
class ChangeReader {
 public:
  ChangeReader(const Json& json, size_t number, const ChangeablePlaces& places)
      : json_(json), number_(number), places_(places) {}

  bool Read() {
    if (!json_.IsObject())
      return Wrong("", {"must be an object such as {\"kind\": \"off\", \"attention\": \"cross\"}"});
    size_t kind = 0;
    if (!CheckNames() || !Name("kind", kKinds, kind)) return false;
    if (kind == std::size(kKinds)) return Wrong("kind", {"must be ", ListOf(kKinds)});
    change_.kind = static_cast<ChangeKind>(kind);
    return ReadPlace() && CheckPlace() && ReadList("queries", change_.queries) && ReadList("keys", change_.keys) &&
           CheckFieldsOfKind() && (TableField() == nullptr || ReadTable(TableField()));
  }

  Change& change() { return change_; }
  const Error& error() const { return error_; }

 private:
  bool Wrong(const char* field, std::initializer_list<std::string_view> message,
             ErrorCode code = ErrorCode::kInvalidArgument) {
    error_.code = code;
    for (const std::string_view part : message) error_.message += part;
    error_.where = std::string(kWhole) + "[" + std::to_string(number_) + "]";
    if (*field != '\0') error_.where += std::string(".") + field;
    return false;
  }
  const Json* Field(const char* field) const {
    const auto member = json_.FindMember(field);
    return member == json_.MemberEnd() || member->value.IsNull() ? nullptr : &member->value;
  }
  // The field of the numbers that this kind takes; null: none.
  const char* TableField() const {
    if (change_.kind == ChangeKind::kSet) return "weights";
    return change_.kind == ChangeKind::kAdd || change_.kind == ChangeKind::kTemperature ? "value" : nullptr;
  }

  bool CheckNames() {
    for (const auto& member : json_.GetObject()) {
      const std::string name(member.name.GetString(), std::min<size_t>(member.name.GetStringLength(), 40));
      if (std::find(std::begin(kFields), std::end(kFields), name) != std::end(kFields)) continue;
      return Wrong(name.c_str(), {"there is no such field: the fields are ", ListOf(kFields)});
    }
    return true;
  }

  // The number of the name that the field has; the number of names if it is absent.
  bool Name(const char* field, std::span<const char* const> names, size_t& number) {
    const Json* value = Field(field);
    number = names.size();
    if (value == nullptr) return true;
    for (number = 0; value->IsString() && number < names.size(); ++number) {
      if (std::string_view(value->GetString(), value->GetStringLength()) == names[number]) return true;
    }
    return Wrong(field, {"must be ", ListOf(names)});
  }

  // Whether a value is a place.
  static bool IsPlace(const Json& value) { return value.IsUint64() && value.GetUint64() <= kLargestPlace; }

  bool Place(const char* field, std::optional<size_t>& to) {
    const Json* value = Field(field);
    if (value == nullptr) return true;
    if (!IsPlace(*value)) return Wrong(field, {"must be a whole number from 0 to ", std::to_string(kLargestPlace)});
    to = static_cast<size_t>(value->GetUint64());
    return true;
  }

  bool ReadPlace() {
    size_t attention = 0, block = 0, side = 0;
    if (!Name("attention", kAttentions, attention) || !Name("block", kBlocks, block) || !Name("side", kSides, side)) {
      return false;
    }
    if (attention < std::size(kAttentions)) change_.attention = static_cast<AttentionKind>(attention);
    if (block < 2) change_.block = static_cast<Block>(block);
    if (side < std::size(kSides)) change_.decodes = side == 1;
    return Place("layer", change_.layer) && Place("head", change_.head) && Place("sentence", change_.sentence);
  }

  // Checks that the model has the place.
  bool CheckPlace() {
    if (change_.block) return CheckBlock();
    if (change_.decodes) return Wrong("side", {"is for the blocks 'feedForward' and 'layer'"});
    const AttentionShape* const shapes[] = {&places_.encoder, &places_.decoder, &places_.cross};
    size_t layers = 0, heads = 0;
    for (size_t i = 0; i < std::size(shapes); ++i) {
      if (change_.attention && static_cast<size_t>(*change_.attention) != i) continue;
      layers = std::max(layers, shapes[i]->layers);
      if (!change_.layer || *change_.layer < shapes[i]->layers) heads = std::max(heads, shapes[i]->heads);
    }
    if (layers == 0) return Wrong("attention", {"the model has no such attention"}, ErrorCode::kUnsupported);
    return CheckBelow("layer", change_.layer, layers) && CheckBelow("head", change_.head, heads);
  }

  bool CheckBlock() {
    if (change_.kind != ChangeKind::kOff) {
      return Wrong("kind", {"must be 'off' for a feed-forward block or a layer"});
    }
    for (const char* field : {"attention", "head", "queries", "keys"}) {
      if (Field(field) != nullptr) return Wrong(field, {"is for attention: a block is off as a whole"});
    }
    const size_t encoder = change_.decodes.value_or(false) ? 0 : places_.encoder_blocks;
    const size_t decoder = change_.decodes.value_or(true) ? places_.decoder_blocks : 0;
    if (encoder + decoder == 0) {
      return Wrong("block", {"the model has no such layers with feed-forward blocks"}, ErrorCode::kUnsupported);
    }
    return CheckBelow("layer", change_.layer, std::max(encoder, decoder));
  }

  bool CheckBelow(const char* field, const std::optional<size_t>& place, size_t count) {
    if (!place || *place < count) return true;
    return Wrong(field,
                 {"there is no ", field, " ", std::to_string(*place), ": the last one is ", std::to_string(count - 1)});
  }

  bool CheckFieldsOfKind() {
    const char* const table = TableField();
    for (const char* field : {"value", "weights"}) {
      const bool is_wanted = table != nullptr && std::string_view(table) == field, is_given = Field(field) != nullptr;
      if (is_wanted != is_given) return Wrong(field, {is_given ? "is for another kind" : "is missing"});
    }
    if (change_.kind == ChangeKind::kHide && change_.keys.empty()) {
      return Wrong("keys", {"must name the keys to hide"});
    }
    if (change_.kind == ChangeKind::kTemperature && !change_.keys.empty()) {
      return Wrong("keys", {"a temperature is for whole rows"});
    }
    return true;
  }

  bool ReadList(const char* field, PlaceList& to) {
    const Json* list = Field(field);
    if (list == nullptr) return true;
    std::vector<size_t> places;
    bool is_right = list->IsArray() && !list->Empty();
    for (rapidjson::SizeType i = 0; is_right && i < list->Size(); ++i) {
      is_right = IsPlace((*list)[i]);
      if (is_right) places.push_back(static_cast<size_t>((*list)[i].GetUint64()));
    }
    to = PlaceList(places);
    return is_right ||
           Wrong(field, {"must be a list of places, whole numbers from 0 to ", std::to_string(kLargestPlace)});
  }

  // A number, a list of one number for each key, or a matrix [queries][keys].
  bool ReadTable(const char* field) {
    const Json& value = *Field(field);
    ChangeTable& table = change_.table;
    const bool is_set = change_.kind == ChangeKind::kSet;
    if (value.IsNumber() && !is_set) {
      table.values.push_back(value.GetFloat());
      return CheckNumbers(field);
    }
    if (change_.kind == ChangeKind::kTemperature) return Wrong(field, {"must be a number above 0"});
    table.is_row = value.IsArray() && !value.Empty() && !value[0].IsArray();
    if (!(table.is_row ? ReadRow(value) : ReadRows(value))) {
      return Wrong(field, {is_set ? "must be a list of weights" : "must be a number, a list of numbers",
                           ", or a matrix [queries][keys] of them"});
    }
    if (!table.is_row && !change_.queries.empty() && change_.queries.size() != value.Size()) {
      return Wrong(field, {"must have one row for each of the queries, ", std::to_string(change_.queries.size())});
    }
    if (!change_.keys.empty() && change_.keys.size() != table.columns) {
      return Wrong(field, {"must have one number for each of the keys, ", std::to_string(change_.keys.size())});
    }
    return CheckNumbers(field);
  }

  bool ReadRows(const Json& rows) {
    if (!rows.IsArray() || rows.Empty()) return false;
    for (const Json& row : rows.GetArray()) {
      if (!ReadRow(row)) return false;
    }
    return true;
  }

  // False if it is no row of numbers, or not as long as the rows before.
  bool ReadRow(const Json& row) {
    ChangeTable& table = change_.table;
    if (!row.IsArray() || row.Empty()) return false;
    if (table.columns == 0) table.columns = row.Size();
    if (row.Size() != table.columns) return false;
    for (const Json& number : row.GetArray()) {
      if (!number.IsNumber()) return false;
      table.values.push_back(number.GetFloat());
    }
    return true;
  }

  bool CheckNumbers(const char* field) {
    const ChangeTable& table = change_.table;
    float sum = 0;
    for (size_t i = 0; i < table.values.size(); ++i) {
      const float value = table.values[i];
      if (!(std::abs(value) <= kLargestNumber)) return Wrong(field, {"must have numbers of at most 1e9"});
      if (change_.kind == ChangeKind::kTemperature && value < kLeastTemperatureGiven) {
        return Wrong(field, {"must be above 1e-9"});
      }
      if (change_.kind != ChangeKind::kSet) continue;
      if (value < 0) return Wrong(field, {"must have no weights below 0"});
      sum += value;
      if ((i + 1) % table.columns != 0) continue;
      if (std::abs(sum - 1) > kRowTolerance) {
        return Wrong(field, {"each row must sum to 1; row ", std::to_string(i / table.columns), " does not"});
      }
      sum = 0;
    }
    return true;
  }

  const Json& json_;
  size_t number_;
  const ChangeablePlaces& places_;
  Change change_;
  Error error_{ErrorCode::kInvalidArgument, {}, {}};
};

}  // namespace

Result<std::shared_ptr<const ChangeList>> ParseChanges(std::string_view text, const ChangeablePlaces& places) {
  // The reader takes objects, so the list becomes a field of one.
  const Result<JsonObject> json = JsonObject::Parse(R"({"list":)" + std::string(text) + "}", kWhole, kLargestConfig);
  if (!json) {
    const auto& [code, message, where] = json.error();
    if (code != ErrorCode::kInvalidFile) return Error{code, message, where};
    return Error{ErrorCode::kInvalidArgument, "not valid JSON" + message.substr(message.find(": ")), where};
  }
  const Json& root = json.value().root();
  const Json& list = root.MemberBegin()->value;
  // A text such as `[], "x": 1` would add a field.
  if (!list.IsArray() || root.MemberCount() != 1) {
    return Error{ErrorCode::kInvalidArgument, "must be a list of changes", kWhole};
  }
  if (list.Size() > kMostChanges) {
    return Error{ErrorCode::kLimitExceeded, "there may be " + std::to_string(kMostChanges) + " changes", kWhole};
  }
  // Each change by itself.
  std::vector<Change> changes;
  for (rapidjson::SizeType i = 0; i < list.Size(); ++i) {
    ChangeReader reader(list[i], i, places);
    if (!reader.Read()) return reader.error();
    changes.push_back(std::move(reader.change()));
  }
  return std::shared_ptr<const ChangeList>(std::make_shared<ChangeList>(std::move(changes)));
}

}  // namespace qkv
