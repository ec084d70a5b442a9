#include "core/train/vocabulary_json.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <unordered_map>

namespace qkv {

Result<std::string> VocabularyJson(const SentencePiece& source, const SentencePiece* target, size_t multiple) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> json(text);
  const auto add = [&](std::string_view piece, size_t row) {
    json.Key(piece.data(), static_cast<rapidjson::SizeType>(piece.size()));
    json.Uint64(row);
  };
  json.StartObject();
  // A row for each piece of either side, in the order in which they first occur.
  std::unordered_map<std::string_view, size_t> rows;
  for (const SentencePiece* model : {&source, target}) {
    if (model == nullptr) continue;
    for (int32_t id = 0; id < static_cast<int32_t>(model->size()); ++id) {
      const std::string_view piece = id == model->unknown_id() ? "<unk>" : model->Text(id);
      if (rows.try_emplace(piece, rows.size()).second) add(piece, rows.size() - 1);
    }
  }
  if (!rows.contains("</s>")) {
    return Error{ErrorCode::kUnsupported, "the model has no piece </s>: learn one with --eos_id", ""};
  }
  if (rows.contains("<pad>")) {
    return Error{ErrorCode::kUnsupported, "the model has a piece <pad> of its own: learn one without --pad_id", ""};
  }
  // <pad> is the last row; the rows before it fill up to a multiple, for kernels.
  const size_t size = (rows.size() + multiple) / multiple * multiple;
  add("<pad>", size - 1);
  json.EndObject();
  return std::string(text.GetString(), text.GetSize());
}

}  // namespace qkv
