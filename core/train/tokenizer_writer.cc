#include "core/train/tokenizer_writer.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <vector>

#include "core/text/spm_file.h"

namespace qkv {
namespace {

constexpr const char* kSpace = "\xE2\x96\x81";  // U+2581
constexpr const char *kSeparator = "[SEP]", *kClass = "[CLS]", *kUnknown = "[UNK]";

// RFC 4648, section 4.
std::string Base64(std::span<const uint8_t> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(bytes.size() - i, 3);
    uint32_t three = 0;
    for (size_t j = 0; j < 3; ++j) three = three << 8 | (j < count ? bytes[i + j] : 0u);
    for (size_t j = 0; j < 4; ++j) text += j <= count ? kDigits[three >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

// Writes the fields of tokenizer.json (github.com/huggingface/tokenizers).
class Writer {
 public:
  explicit Writer(ReadBy reader) : reader_(reader) {}

  std::string Write(const SpmFile& spm, int64_t unknown) {
    // Pieces that are not in the SentencePiece model have the ids behind it.
    const auto pieces = static_cast<int64_t>(spm.types.size());
    json_.StartObject();
    Text("version", "1.0");
    Null("truncation");
    Null("padding");
    List("added_tokens", [&] {
      Added(0, reader_ == ReadBy::kEncoder ? kSeparator : "<|endoftext|>");
      Added(unknown, kUnknown);
      int64_t id = pieces;
      for (const char* const piece : {kClass, "[MASK]", "[PAD]"}) {
        if (id - pieces < static_cast<int64_t>(PiecesAdded(reader_))) Added(id++, piece);
      }
    });
    // The stages of a text in order: rewriting, cutting at spaces, cutting into pieces, the template.
    Normalizer(spm);
    Object("pre_tokenizer", [&] { Metaspace(); });
    reader_ == ReadBy::kEncoder ? Template(pieces) : Null("post_processor");
    Object("decoder", [&] { Metaspace(); });
    Object("model", [&] { Model(spm, unknown); });
    json_.EndObject();
    return {buffer_.GetString(), buffer_.GetSize()};
  }

 private:
  void Key(const char* key) {
    if (key != nullptr) json_.Key(key);
  }
  void String(std::string_view text) { json_.String(text.data(), static_cast<rapidjson::SizeType>(text.size())); }
  void Text(const char* key, std::string_view text) {
    json_.Key(key);
    String(text);
  }
  void Flag(const char* key, bool flag) {
    json_.Key(key);
    json_.Bool(flag);
  }
  void Null(const char* key) {
    json_.Key(key);
    json_.Null();
  }
  void Whole(const char* key, int64_t number) {
    json_.Key(key);
    json_.Int64(number);
  }
  template <class Fill>
  void Object(const char* key, const Fill& fill) {
    Key(key);
    json_.StartObject();
    fill();
    json_.EndObject();
  }
  template <class Fill>
  void List(const char* key, const Fill& fill) {
    Key(key);
    json_.StartArray();
    fill();
    json_.EndArray();
  }

  void Added(int64_t id, const char* piece) {
    Object(nullptr, [&] {
      Whole("id", id);
      Text("content", piece);
      for (const char* const flag : {"single_word", "lstrip", "rstrip", "normalized"}) Flag(flag, false);
      Flag("special", true);
    });
  }
  // The table of characters, then spaces: one in a row, none at the end. The one at the beginning stays: after [MASK]
  // it shows whether a word begins or a mark follows, and before a text Metaspace would add it anyway.
  void Normalizer(const SpmFile& spm) {
    const auto step = [&](const char* type, const auto& fill) {
      Object(nullptr, [&] {
        Text("type", type);
        fill();
      });
    };
    Object("normalizer", [&] {
      Text("type", "Sequence");
      List("normalizers", [&] {
        if (!spm.charsmap.empty()) step("Precompiled", [&] { Text("precompiled_charsmap", Base64(spm.charsmap)); });
        step("Strip", [&] {
          Flag("strip_left", false);
          Flag("strip_right", true);
        });
        step("Replace", [&] {
          Object("pattern", [&] { Text("Regex", " {2,}"); });
          Text("content", " ");
        });
      });
    });
  }
  // A word begins with U+2581, and so does a text.
  void Metaspace() {
    Text("type", "Metaspace");
    Text("replacement", kSpace);
    Text("prepend_scheme", "first");
    Flag("split", true);
  }
  void TemplateItem(const char* kind, const char* id, int type) {
    Object(nullptr, [&] {
      Object(kind, [&] {
        Text("id", id);
        Whole("type_id", type);
      });
    });
  }
  void Special(const char* piece, int64_t id) {
    Object(piece, [&] {
      Text("id", piece);
      List("ids", [&] { json_.Int64(id); });
      List("tokens", [&] { String(piece); });
    });
  }
  // [CLS] A [SEP] for one text, [CLS] A [SEP] B [SEP] for two. B has segment 1.
  void Template(int64_t first_added) {
    Object("post_processor", [&] {
      Text("type", "TemplateProcessing");
      for (const bool pair : {false, true}) {
        List(pair ? "pair" : "single", [&] {
          TemplateItem("SpecialToken", kClass, 0);
          TemplateItem("Sequence", "A", 0);
          TemplateItem("SpecialToken", kSeparator, 0);
          if (!pair) return;
          TemplateItem("Sequence", "B", 1);
          TemplateItem("SpecialToken", kSeparator, 1);
        });
      }
      Object("special_tokens", [&] {
        Special(kClass, first_added);
        Special(kSeparator, 0);
      });
    });
  }
  // The pieces with their scores, the logarithms of their probabilities (Kudo 2018). </s> and <unk> get the names that
  // the reader knows.
  void Model(const SpmFile& spm, int64_t unknown) {
    Text("type", "Unigram");
    Whole("unk_id", unknown);
    List("vocab", [&] {
      size_t begin = 0;
      for (size_t id = 0; id < spm.types.size(); ++id) {
        const std::string_view piece = std::string_view(spm.piece_text).substr(begin, spm.piece_ends[id] - begin);
        begin = spm.piece_ends[id];
        List(nullptr, [&] {
          String(id == 0                               ? (reader_ == ReadBy::kEncoder ? kSeparator : "<|endoftext|>")
                 : static_cast<int64_t>(id) == unknown ? kUnknown
                                                       : piece);
          json_.Double(static_cast<double>(spm.scores[id]));
        });
      }
    });
    Flag("byte_fallback", false);
  }

  ReadBy reader_;
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> json_{buffer_};
};

}  // namespace

Result<std::string> TokenizerJson(std::span<const uint8_t> bytes, std::string_view file_name, ReadBy reader) {
  QKV_TRY(const SpmFile spm, ParseSpm(bytes, file_name));
  // Features without an equivalent in tokenizer.json are refused.
  const auto unsupported = [&](const char* message) {
    return Error{ErrorCode::kUnsupported, message, std::string(file_name)};
  };
  if (spm.algorithm != SpmFile::Algorithm::kUnigram || spm.byte_fallback) {
    return unsupported("must be a unigram model without byte fallback to become a tokenizer.json");
  }
  if (std::string_view(spm.piece_text).substr(0, spm.piece_ends[0]) != "</s>") {
    return unsupported("its piece 0 is not </s>");
  }
  const auto unknown = std::find(spm.types.begin(), spm.types.end(), PieceType::kUnknown);
  return Writer(reader).Write(spm, unknown - spm.types.begin());
}

}  // namespace qkv
