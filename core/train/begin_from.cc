#include "core/train/begin_from.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/base/json.h"
#include "core/io/files.h"
#include "core/load/folder.h"
#include "core/translate/folder.h"

namespace qkv {
namespace {

constexpr int32_t kNone = -1;

// For each row of one vocab.json the row of the same piece in another, or kNone.
Result<std::vector<int32_t>> RowsByPiece(const std::string& ours, const std::string& theirs) {
  QKV_TRY(const JsonObject to, JsonObject::Parse(ours, "vocab.json"));
  QKV_TRY(const JsonObject from, JsonObject::Parse(theirs, "vocab.json"));
  std::unordered_map<std::string_view, int32_t> rows;
  for (const auto& piece : from.root().GetObject()) {
    rows.emplace(std::string_view(piece.name.GetString(), piece.name.GetStringLength()), piece.value.GetInt());
  }
  std::vector<int32_t> found;
  for (const auto& piece : to.root().GetObject()) {
    const size_t row = piece.value.GetUint();
    if (row >= found.size()) found.resize(row + 1, kNone);
    const auto same = rows.find(std::string_view(piece.name.GetString(), piece.name.GetStringLength()));
    if (same != rows.end()) found[row] = same->second;
  }
  return found;
}

bool HasRowsOfPieces(const LearntParameter& p, size_t vocabulary) {
  return p.start == Start::kEmbedding || (!p.matrix && p.outputs == vocabulary);
}

void CopyRows(const LearntParameter& from, const std::vector<int32_t>& rows, LearntParameter& to) {
  std::vector<float> theirs(from.outputs * from.inputs), ours(to.outputs * to.inputs);
  Unpack(from, from.value, theirs.data());
  Unpack(to, to.value, ours.data());
  for (size_t row = 0; row < std::min(rows.size(), to.outputs); ++row) {
    if (rows[row] == kNone || static_cast<size_t>(rows[row]) >= from.outputs) continue;
    std::copy_n(theirs.data() + static_cast<size_t>(rows[row]) * from.inputs, from.inputs,
                ours.data() + row * to.inputs);
  }
  PackInto(to, ours.data(), to.value);
}

Result<void> CheckFloats(const WeightSlots& slots, const std::string& from) {
  for (const WeightSlot& slot : slots.slots) {
    const auto* weight = std::get_if<Weight*>(&slot.to);
    if (weight != nullptr && (*weight)->quantized()) {
      return Error{ErrorCode::kUnsupported, "its weights are int8: training needs float weights", from};
    }
  }
  return {};
}

}  // namespace

Result<void> BeginFrom(const std::string& from, const std::string& vocabulary, Parameters& parameters) {
  QKV_TRY(const std::unique_ptr<TranslationModel> model, LoadFolder(from, false));
  WeightSlots slots = model->Slots();
  QKV_CHECK(CheckFloats(slots, from));
  // Where each of this run's pieces is in the other vocabulary.
  QKV_TRY(const std::string theirs, ReadWholeFile(from + "/vocab.json", kLargestJson));
  std::vector<int32_t> rows;  // none: the vocabularies are one
  if (theirs != vocabulary) {
    QKV_TRY(rows, RowsByPiece(vocabulary, theirs));
  }
  // The weights must have the same shapes, except for tables of pieces.
  const Parameters begin(slots, /*gradients=*/false);
  const size_t pieces = model->config().vocabulary;
  const auto fits = [&](const LearntParameter& a, const LearntParameter& b) {
    return a.inputs == b.inputs && (a.outputs == b.outputs || (!rows.empty() && HasRowsOfPieces(a, pieces)));
  };
  if (!std::equal(begin.all().begin(), begin.all().end(), parameters.all().begin(), parameters.all().end(), fits)) {
    return Error{ErrorCode::kInvalidArgument, "its weights have other shapes than this run's model", from};
  }
  // Copies them.
  for (size_t i = 0; i < begin.all().size(); ++i) {
    const LearntParameter& p = begin.all()[i];
    if (!rows.empty() && HasRowsOfPieces(p, pieces)) {
      CopyRows(p, rows, parameters.all()[i]);
    } else {
      std::copy_n(p.value, p.size, parameters.all()[i].value);
    }
  }
  return {};
}

Result<void> BeginFromOneSided(const std::string& from, std::string_view tokenizer, Parameters& parameters) {
  QKV_TRY(const std::string theirs, ReadWholeFile(from + "/tokenizer.json", kLargestJson));
  if (theirs != tokenizer) {
    return Error{ErrorCode::kInvalidArgument, "its tokenizer.json is not this run's", from};
  }
  QKV_TRY(const LoadedFolder loaded, LoadAnyFolder(from));
  WeightSlots slots = std::visit([](const auto& model) { return model->Slots(); }, loaded.model);
  QKV_CHECK(CheckFloats(slots, from));
  const Parameters begin(slots, /*gradients=*/false);
  // Weights are found by their names. A head of another kind begins as it was initialised.
  bool any = false;
  for (LearntParameter& to : parameters.all()) {
    // Parts of one tensor have one name, and the same order.
    const auto has = [&](const LearntParameter& p) { return p.name == to.name && p.part == to.part; };
    const auto p = std::find_if(begin.all().begin(), begin.all().end(), has);
    if (p == begin.all().end()) continue;
    if (p->outputs != to.outputs || p->inputs != to.inputs) {
      return Error{ErrorCode::kInvalidArgument, to.name + " has another shape than this run's model", from};
    }
    std::copy_n(p->value, p->size, to.value);
    any = true;
  }
  if (any) return {};
  return Error{ErrorCode::kInvalidArgument, "it shares no weights with this run's model", from};
}

}  // namespace qkv
