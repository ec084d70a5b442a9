#include "core/train/character_vocabulary.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <cstring>
#include <set>

#include "core/text/utf.h"

namespace qkv {
namespace {

constexpr size_t kMost = 65536;
constexpr std::string_view kSpace = "\xE2\x96\x81";

// Fields of a Protocol Buffers message, as core/text/spm_file.cc reads them.
class Message {
 public:
  void Varint(uint32_t field, uint64_t value) {
    Raw(uint64_t{field} << 3);
    Raw(value);
  }
  void Float(uint32_t field, float value) {
    Raw(uint64_t{field} << 3 | 5);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    bytes_.append(bytes, sizeof value);
  }
  void Bytes(uint32_t field, std::string_view value) {
    Raw(uint64_t{field} << 3 | 2);
    Raw(value.size());
    bytes_ += value;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Raw(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

enum PieceKind : uint64_t { kNormal = 1, kUnknown = 2, kControl = 3 };

std::string Piece(std::string_view text, PieceKind kind) {
  Message piece;
  piece.Bytes(1, text);
  piece.Float(2, 0);
  piece.Varint(3, kind);
  return piece.bytes();
}

std::string SentencePieceModel(const std::set<std::string>& characters) {
  Message model, trainer, normalizer;
  model.Bytes(1, Piece("<unk>", kUnknown));
  model.Bytes(1, Piece("</s>", kControl));
  for (const std::string& character : characters) model.Bytes(1, Piece(character, kNormal));
  trainer.Varint(3, 1);  // unigram: single characters have only one cut
  model.Bytes(2, trainer.bytes());
  normalizer.Bytes(1, "identity");
  normalizer.Varint(3, 0);  // no space before the text
  normalizer.Varint(4, 1);  // runs of white space become one
  normalizer.Varint(5, 1);  // U+2581 for a space
  model.Bytes(3, normalizer.bytes());
  return model.bytes();
}

std::string VocabularyJson(const std::set<std::string>& characters) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> json(buffer);
  unsigned row = 0;
  const auto add = [&](std::string_view piece) {
    json.Key(piece.data(), static_cast<rapidjson::SizeType>(piece.size()));
    json.Uint(row++);
  };
  json.StartObject();
  add("</s>");
  add("<unk>");
  for (const std::string& character : characters) add(character);
  add("<pad>");
  json.EndObject();
  return buffer.GetString();
}

}  // namespace

Result<CharacterVocabulary> MakeCharacterVocabulary(std::string_view text) {
  std::set<std::string> characters;
  for (size_t at = 0; at < text.size();) {
    const size_t length = Utf8Length(text.substr(at));
    const std::string_view character = text.substr(at, length);
    at += length == 0 ? 1 : length;
    if (length == 0 || character == "\n" || character == "\r" || character == "\t") continue;
    characters.emplace(character == " " ? kSpace : character);
    if (characters.size() > kMost) {
      return Error{ErrorCode::kLimitExceeded, "there are more than 65,536 different characters", "pairs"};
    }
  }
  if (characters.empty()) return Error{ErrorCode::kInvalidArgument, "there is no text to learn from", "pairs"};
  return CharacterVocabulary{SentencePieceModel(characters), VocabularyJson(characters)};
}

}  // namespace qkv
