// Reads tokenizer.json (github.com/huggingface/tokenizers) into a tokenizer's parts.
#include <cmath>
#include <utility>

#include "core/base/budget.h"
#include "core/base/json.h"
#include "core/text/base64.h"
#include "core/text/tokenizer.h"
#include "core/text/tokenizer_fields.h"
#include "core/text/tokenizer_parts.h"
#include "core/text/utf.h"

namespace qkv {
namespace {

using Parts = TokenizerParts;

constexpr const char* kFile = "tokenizer.json";
constexpr size_t kMostAdded = 1 << 16;  // added pieces
constexpr size_t kMostTemplateItems = 64;
constexpr const char* kSpace = "\xE2\x96\x81";  // U+2581

class Parser {
 public:
  Parser() : fields_(kFile), parts_(std::make_unique<Parts>()) {}

  Result<std::unique_ptr<Parts>> Parse(const Json& root) {
    if (const Json* json = fields_.Find(root, "normalizer")) ReadRewriting(*json);
    if (const Json* json = fields_.Find(root, "pre_tokenizer")) ReadWords(*json);
    const Json* const model = fields_.Find(root, "model");
    if (model == nullptr) fields_.Fail("model", "is missing");
    QKV_CHECK(fields_.Check());
    ReadModel(*model, fields_.Find(root, "added_tokens"));
    QKV_CHECK(fields_.Check());
    if (const Json* json = fields_.Find(root, "post_processor")) ReadTemplates(*json);
    if (const Json* json = fields_.Find(root, "decoder")) ReadDecoding(*json);
    QKV_CHECK(fields_.Check());
    return std::move(parts_);
  }

 private:
  void ReadRewriting(const Json& json) {
    bool decomposes = false;
    // Each type of step with its fields; the default is the one of Hugging Face's tokenizers.
    fields_.Steps(json, "normalizer", "normalizers", [&](const Json& step, std::string_view type) {
      using Kind = RewriteStep::Kind;
      RewriteStep to;
      if (type == "NFD") {
        decomposes = true;
        return;
      }
      if (type == "BertNormalizer") {
        to.bert = {.clean_text = fields_.Flag(step, "clean_text", true),
                   .split_ideographs = fields_.Flag(step, "handle_chinese_chars", true),
                   .lowercase = fields_.Flag(step, "lowercase", true)};
        to.bert.strip_accents = fields_.Flag(step, "strip_accents", to.bert.lowercase);
      } else if (type == "Lowercase") {
        to.kind = Kind::kLowercase;
      } else if (type == "StripAccents" && decomposes) {
        to.kind = Kind::kStripAccents;
        decomposes = false;
      } else if (type == "Strip") {
        to.kind = Kind::kStrip;
        to.left = fields_.Flag(step, "strip_left", true);
        to.right = fields_.Flag(step, "strip_right", true);
      } else if (type == "Prepend") {
        to.kind = Kind::kPrepend;
        to.to = fields_.Text(step, "prepend", "");
      } else if (type == "Replace") {
        ReadReplace(step, to);
      } else if (type == "Precompiled") {
        to.kind = Kind::kCharsmap;
        const Json* const map = fields_.Find(step, "precompiled_charsmap");
        const std::string_view text = map == nullptr ? "" : fields_.Text(*map, "precompiled_charsmap");
        // the list of merges grows to twice its size
        fields_.Check(CheckMemory(uint64_t{3} * text.size(), kTooLarge, kFile));
        if (!fields_.ok()) return;
        const std::vector<uint8_t> bytes = FromBase64(text);
        Result<Charsmap> charsmap = Charsmap::Parse(bytes, "tokenizer.json, precompiled_charsmap");
        if (!charsmap) return fields_.Check(charsmap.error());
        to.charsmap = std::move(*charsmap);
      } else {
        return fields_.Refuse("normalizer", type);
      }
      parts_->rewriting.push_back(std::move(to));
    });
    // Decomposition is supported only with the marks removed: the order of marks would need another table.
    if (decomposes) fields_.Refuse("normalizer", "NFD without StripAccents");
  }

  void ReadReplace(const Json& step, RewriteStep& to) {
    to.kind = RewriteStep::Kind::kReplace;
    to.to = fields_.Text(step, "content", "");
    const Json* const pattern = fields_.Find(step, "pattern");
    if (pattern == nullptr) return fields_.Fail("normalizer, Replace", "has no pattern");
    const std::string_view regex = fields_.Text(*pattern, "Regex", "");
    to.from = fields_.Text(*pattern, "String", "");
    if (regex == " {2,}") {
      to.kind = RewriteStep::Kind::kReplaceRuns;  // as XLM-RoBERTa's tokenizer.json has it
    } else if (to.from.empty()) {
      fields_.Refuse("normalizer", "Replace of the pattern " + std::string(regex));
    }
  }

  void ReadWords(const Json& json) {
    fields_.Steps(json, "pre_tokenizer", "pretokenizers", [&](const Json& step, std::string_view type) {
      using Kind = WordStep::Kind;
      WordStep to;
      if (type == "WhitespaceSplit") {
        to.kind = Kind::kWhitespace;
      } else if (type == "ByteLevel") {
        to.kind = Kind::kByteLevel;
        to.split = fields_.Flag(step, "use_regex", true);
        if (fields_.Flag(step, "add_prefix_space", true)) to.prefix = WordStep::Prefix::kAlways;
      } else if (type == "Metaspace") {
        to.kind = Kind::kMetaspace;
        to.space = SpaceOf(step, "pre_tokenizer, replacement");
        to.split = fields_.Flag(step, "split", true);
        to.prefix = PrefixOf(step);
      } else if (type != "BertPreTokenizer") {
        return fields_.Refuse("pre_tokenizer", type);
      }
      parts_->words.push_back(std::move(to));
    });
  }

  // The character that stands for a space.
  std::string SpaceOf(const Json& step, const char* where) {
    const std::string_view space = fields_.Text(step, "replacement", kSpace);
    if (space.empty() || Utf8Length(space) != space.size()) fields_.Fail(where, "must be one character");
    return std::string(space);
  }

  WordStep::Prefix PrefixOf(const Json& step) {
    const std::string_view scheme = fields_.Text(step, "prepend_scheme", "always");
    if (scheme == "never" || !fields_.Flag(step, "add_prefix_space", true)) return WordStep::Prefix::kNever;
    if (scheme != "always" && scheme != "first") fields_.Refuse("prepend_scheme", scheme);
    return scheme == "first" ? WordStep::Prefix::kFirst : WordStep::Prefix::kAlways;
  }

  void ReadModel(const Json& model, const Json* added) {
    const Json* const vocabulary = fields_.Find(model, "vocab");
    if (vocabulary == nullptr) return fields_.Fail("model, vocab", "is missing");
    // Which model it is, and whether its vocabulary has the model's form.
    std::string_view type = fields_.Text(model, "type", "");
    if (type.empty()) {  // older writers leave it out
      type = vocabulary->IsArray() ? "Unigram" : fields_.Find(model, "merges") != nullptr ? "BPE" : "WordPiece";
    }
    if (type != "Unigram" && type != "BPE" && type != "WordPiece") return fields_.Refuse("model", type);
    if (type == "Unigram" ? !vocabulary->IsArray() : !vocabulary->IsObject()) {
      return fields_.Fail("model, vocab", "is not what " + std::string(type) + " has");
    }
    // Pieces of the vocabulary, and those that were added to it.
    ReadPieces(*vocabulary);
    std::vector<AddedPiece> raw, rewritten;
    if (added != nullptr) ReadAdded(*added, raw, rewritten);
    if (!fields_.ok()) return;
    fields_.Check(parts_->BuildTrie("tokenizer.json, vocab"));
    fields_.Check(parts_->BuildAdded(std::move(raw), parts_->raw, "tokenizer.json, added_tokens"));
    fields_.Check(parts_->BuildAdded(std::move(rewritten), parts_->rewritten, "tokenizer.json, added_tokens"));
    if (!fields_.ok()) return;
    // Fields that only this model has.
    if (type == "Unigram") ReadUnigram(model, *vocabulary);
    if (type == "BPE") ReadPairs(model);
    if (type == "WordPiece") ReadWordPiece(model);
  }

  void ReadPieces(const Json& vocabulary) {
    if (vocabulary.IsArray()) {
      for (size_t id = 0; fields_.ok() && id < vocabulary.Size(); ++id) {
        const Json& entry = vocabulary[static_cast<rapidjson::SizeType>(id)];
        if (!entry.IsArray() || entry.Size() != 2 || !entry[1].IsNumber()) {
          return fields_.Fail("model, vocab", "must be pairs of a piece and a score");
        }
        AddPiece(fields_.Text(entry[0], "model, vocab"), static_cast<int64_t>(id), false);
      }
      return;
    }
    for (auto member = vocabulary.MemberBegin(); fields_.ok() && member != vocabulary.MemberEnd(); ++member) {
      const std::string_view piece(member->name.GetString(), member->name.GetStringLength());
      AddPiece(piece, fields_.Whole(member->value, piece), false);
    }
  }

  void AddPiece(std::string_view text, int64_t id, bool special) {
    if (fields_.ok()) fields_.Check(parts_->AddPiece(text, id, special, "tokenizer.json, vocab"));
  }

  void ReadAdded(const Json& added, std::vector<AddedPiece>& raw, std::vector<AddedPiece>& rewritten) {
    if (!added.IsArray()) return fields_.Fail("added_tokens", "must be a list");
    if (added.Size() > kMostAdded) return fields_.Fail("added_tokens", "are too many", ErrorCode::kLimitExceeded);
    for (size_t i = 0; fields_.ok() && i < added.Size(); ++i) {
      const Json& token = added[static_cast<rapidjson::SizeType>(i)];
      const Json* const id = fields_.Find(token, "id");
      if (id == nullptr) return fields_.Fail("added_tokens, id", "is missing");
      if (fields_.Flag(token, "single_word", false)) fields_.Refuse("added_tokens", "single_word");
      AddedPiece piece{std::string(fields_.Text(token, "content", "")), static_cast<int32_t>(fields_.Whole(*id, "id")),
                       fields_.Flag(token, "lstrip", false), fields_.Flag(token, "rstrip", false)};
      AddPiece(piece.content, piece.id, fields_.Flag(token, "special", false));
      const bool late = fields_.Flag(token, "normalized", false) && !parts_->rewriting.empty();
      if (late) piece.content = Rewrite({piece.content, 0}, parts_->rewriting).text;
      if (!piece.content.empty()) (late ? rewritten : raw).push_back(std::move(piece));
    }
  }

  // The id of the piece that a field names; -1 if the field is absent.
  int32_t Named(const Json& object, const char* key, std::string_view fallback) {
    const std::string_view name = fields_.Text(object, key, fallback);
    if (name.empty()) return -1;
    const int32_t id = parts_->pieces.Find(name);
    if (id < 0) fields_.Fail(key, "\"" + std::string(name) + "\" is no piece of the vocabulary");
    return id;
  }

  void ReadWordPiece(const Json& model) {
    WordPiece pieces;
    pieces.continuing = fields_.Text(model, "continuing_subword_prefix", "##");
    pieces.unknown = Named(model, "unk_token", "[UNK]");
    if (pieces.unknown < 0) fields_.Fail("unk_token", "must name a piece, which WordPiece needs");
    if (const Json* longest = fields_.Find(model, "max_input_chars_per_word")) {
      pieces.longest = static_cast<size_t>(fields_.Whole(*longest, "max_input_chars_per_word"));
    }
    parts_->model = std::move(pieces);
  }

  void ReadPairs(const Json& model) {
    // Options that are not supported.
    for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (!fields_.Text(model, affix, "").empty()) fields_.Refuse("model", affix);
    }
    for (const char* flag : {"byte_fallback", "ignore_merges"}) {
      if (fields_.Flag(model, flag, false)) fields_.Refuse("model", flag);
    }
    // Merges, best first: ["a", "b"], or "a b" in older files.
    const Json* const merges = fields_.List(model, "merges");
    if (merges == nullptr) return;
    std::vector<PairMerges::Merge> list;
    fields_.Check(CheckMemory(merges->Size() * PairMerges::kBytes, kTooLarge, kFile));
    if (!fields_.ok()) return;
    list.reserve(merges->Size());
    for (size_t i = 0; fields_.ok() && i < merges->Size(); ++i) {
      const Json& merge = (*merges)[static_cast<rapidjson::SizeType>(i)];
      std::string_view left, right;
      if (merge.IsArray() && merge.Size() == 2) {
        left = fields_.Text(merge[0], "merges");
        right = fields_.Text(merge[1], "merges");
      } else {
        const std::string_view both = fields_.Text(merge, "merges");
        const size_t space = both.find(' ');
        left = both.substr(0, space);
        right = space == std::string_view::npos ? "" : both.substr(space + 1);
      }
      fields_.Check(parts_->AddMerge(left, right, list, kFile));
    }
    // The model: merges, the piece for unknown characters, the pieces of bytes.
    Pairs pairs;
    pairs.merges = PairMerges(list);
    pairs.unknown = Named(model, "unk_token", "");
    pairs.fuse_unknown = fields_.Flag(model, "fuse_unk", false);
    parts_->FindBytes(pairs);
    parts_->model = std::move(pairs);
  }

  void ReadUnigram(const Json& model, const Json& vocabulary) {
    const Json* const unknown = fields_.Find(model, "unk_id");
    if (unknown == nullptr) return fields_.Refuse("model", "Unigram without unk_id");
    const int64_t unknown_id = fields_.Whole(*unknown, "unk_id");
    if (fields_.Flag(model, "byte_fallback", false)) return fields_.Refuse("model", "byte_fallback");
    // Twelve bytes for each piece, and its text, in lists that grow to twice their size.
    fields_.Check(CheckMemory(uint64_t{36} * vocabulary.Size() + uint64_t{3} * parts_->texts.size(), kTooLarge, kFile));
    if (!fields_.ok()) return;
    // The pieces and scores as a .spm file has them.
    SpmFile spm;
    std::vector<double> scores;
    for (const Json& entry : vocabulary.GetArray()) {
      const double score = entry[1].GetDouble();
      if (!std::isfinite(static_cast<float>(score)))
        return fields_.Fail("model, vocab", "has a score that is not a number");
      spm.piece_text.append(entry[0].GetString(), entry[0].GetStringLength());
      spm.piece_ends.push_back(static_cast<uint32_t>(spm.piece_text.size()));
      const bool is_unknown = static_cast<int64_t>(spm.types.size()) == unknown_id;
      spm.scores.push_back(static_cast<float>(score));
      scores.push_back(score);
      spm.types.push_back(is_unknown ? PieceType::kUnknown : PieceType::kNormal);
    }
    // The vocabulary and the search over it.
    Result<Vocabulary> pieces = Vocabulary::Build(spm, kFile);
    if (!pieces) return fields_.Check(pieces.error());
    Unigram unigram(*pieces, std::move(scores));
    parts_->model = std::make_unique<std::pair<Vocabulary, Unigram>>(std::move(*pieces), std::move(unigram));
  }

  void ReadTemplates(const Json& json) {
    fields_.Steps(json, "post_processor", "processors", [&](const Json& step, std::string_view type) {
      if (type == "TemplateProcessing") {
        const Json* const special = fields_.Find(step, "special_tokens");
        parts_->single = ReadTemplate(step, "single", 1, special);
        parts_->pair = ReadTemplate(step, "pair", 2, special);
      } else if (type == "BertProcessing" || type == "RobertaProcessing") {
        const bool roberta = type == "RobertaProcessing";
        parts_->SetTemplates(PieceOf(step, "cls"), PieceOf(step, "sep"), roberta);
        if (roberta) ReadTrimming(step, true);
      } else if (type == "ByteLevel") {
        ReadTrimming(step, true);
      } else {
        fields_.Refuse("post_processor", type);
      }
    });
  }

  void ReadTrimming(const Json& step, bool fallback) {
    parts_->trims = fields_.Flag(step, "trim_offsets", fallback);
    parts_->trims_first = !fields_.Flag(step, "add_prefix_space", true);
  }

  // ["[CLS]", 101]
  int32_t PieceOf(const Json& step, const char* key) {
    const Json* const piece = fields_.List(step, key);
    if (piece == nullptr || piece->Size() != 2) return fields_.Fail(key, "must be a piece and its id"), 0;
    return Known((*piece)[1], key);
  }
  int32_t Known(const Json& json, const char* where) {
    const int64_t id = fields_.Whole(json, where);
    if (id >= static_cast<int64_t>(parts_->spans.size())) fields_.Fail(where, "has an id that is not a piece");
    return static_cast<int32_t>(id);
  }

  // Reads the template of special pieces around one text or two. Each text occurs once.
  std::vector<TemplateItem> ReadTemplate(const Json& step, const char* key, size_t texts, const Json* special) {
    std::vector<TemplateItem> items;
    bool placed[2] = {};
    const auto add = [&](const TemplateItem& item) {
      items.push_back(item);
      if (items.size() > kMostTemplateItems) fields_.Fail(key, "has over 64 items", ErrorCode::kLimitExceeded);
    };
    // Each item is a text or a special piece, with its segment type.
    const Json* const list = fields_.List(step, key);
    for (size_t i = 0; list != nullptr && fields_.ok() && i < list->Size(); ++i) {
      const Json& item = (*list)[static_cast<rapidjson::SizeType>(i)];
      const Json* const piece = fields_.Find(item, "SpecialToken");
      const Json* const text = piece == nullptr ? fields_.Find(item, "Sequence") : piece;
      if (text == nullptr) return fields_.Fail(key, "must hold Sequence and SpecialToken"), items;
      const std::string id(fields_.Text(*text, "id", ""));
      const Json* const type_id = fields_.Find(*text, "type_id");
      const auto type = type_id == nullptr ? 0 : static_cast<int32_t>(fields_.Whole(*type_id, "type_id"));
      // A text: A, or B of a pair.
      if (piece == nullptr) {
        const size_t which = id == "B" ? 1 : 0;
        if (which >= texts || placed[which])
          return fields_.Refuse(key, "a text twice, or one that is not given"), items;
        placed[which] = true;
        add({-1, static_cast<int32_t>(which), type});
        continue;
      }
      // A special piece, which may be several ids.
      const Json* const entry = special == nullptr ? nullptr : fields_.Find(*special, id.c_str());
      const Json* const ids = entry == nullptr ? nullptr : fields_.List(*entry, "ids");
      if (ids == nullptr) return fields_.Fail("special_tokens", "lack \"" + id + "\""), items;
      for (size_t k = 0; fields_.ok() && k < ids->Size(); ++k) {
        add({Known((*ids)[static_cast<rapidjson::SizeType>(k)], "special_tokens"), 0, type});
      }
    }
    return items;
  }

  void ReadDecoding(const Json& json) {
    fields_.Steps(json, "decoder", "decoders", [&](const Json& step, std::string_view type) {
      using Kind = Parts::Decoding::Kind;
      Parts::Decoding& decoding = parts_->decoding;
      if (decoding.kind != Kind::kSpaces) return fields_.Refuse("decoder", "a sequence");
      if (type == "WordPiece") {
        decoding = {Kind::kWordPiece, std::string(fields_.Text(step, "prefix", "##")),
                    fields_.Flag(step, "cleanup", true)};
      } else if (type == "ByteLevel") {
        decoding.kind = Kind::kByteLevel;
      } else if (type == "Metaspace") {
        decoding = {Kind::kMetaspace, SpaceOf(step, "decoder, replacement"), false,
                    PrefixOf(step) != WordStep::Prefix::kNever};
      } else {
        fields_.Refuse("decoder", type);
      }
    });
  }

  TokenizerFields fields_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace

Result<Tokenizer> Tokenizer::Parse(std::string_view text) {
  QKV_TRY(const JsonObject json, JsonObject::Parse(text, kFile));
  QKV_TRY(std::unique_ptr<Parts> parts, Parser().Parse(json.root()));
  return Tokenizer(std::move(parts));
}

}  // namespace qkv
