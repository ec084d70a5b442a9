// Reads the tokenizer files that are older than tokenizer.json: BERT's vocab.txt, GPT-2's and RoBERTa's vocab.json with
// merges.txt, and tokenizer_config.json.
#include <algorithm>
#include <utility>

#include "core/base/budget.h"
#include "core/base/json.h"
#include "core/text/tokenizer.h"
#include "core/text/tokenizer_parts.h"

namespace qkv {
namespace {

using Parts = TokenizerParts;

// Parses tokenizer_config.json; `config` may be empty.
Result<JsonObject> ReadConfig(std::string_view config) {
  return JsonObject::Parse(config.empty() ? "{}" : config, "tokenizer_config.json", kLargestConfig);
}

// Adds special pieces that the files of older folders do not name.
Result<void> AddSpecial(Parts& parts, std::initializer_list<std::string_view> names, const char* file) {
  std::vector<AddedPiece> added;
  for (const std::string_view name : names) {
    const int32_t id = parts.pieces.Find(name);
    if (id < 0) continue;
    parts.special[static_cast<size_t>(id)] = true;
    added.push_back({std::string(name), id, name == "<mask>", false});
  }
  return parts.BuildAdded(std::move(added), parts.raw, file);
}

Result<int32_t> Needed(const Parts& parts, std::string_view name, const char* file) {
  const int32_t id = parts.pieces.Find(name);
  if (id >= 0) return id;
  return Error{ErrorCode::kInvalidFile, "it has no piece \"" + std::string(name) + "\"", file};
}

}  // namespace

Result<Tokenizer> Tokenizer::ParseWordPiece(std::string_view vocabulary, std::string_view config) {
  constexpr const char* kVocabulary = "vocab.txt";
  QKV_TRY(const JsonObject json, ReadConfig(config));
  auto parts = std::make_unique<Parts>();
  // vocab.txt: a piece a line, whose number is its id.
  int64_t id = 0;
  while (!vocabulary.empty()) {
    const size_t end = std::min(vocabulary.find('\n'), vocabulary.size());
    std::string_view line = vocabulary.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (id >= kMostPieces) return Error{ErrorCode::kLimitExceeded, "it has too many pieces", kVocabulary};
    QKV_CHECK(parts->AddPiece(line, id++, false, kVocabulary));
    vocabulary.remove_prefix(std::min(end + 1, vocabulary.size()));
  }
  QKV_CHECK(parts->BuildTrie(kVocabulary));
  // Special pieces.
  QKV_CHECK(AddSpecial(*parts, {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}, kVocabulary));
  QKV_TRY(const int32_t unknown, Needed(*parts, "[UNK]", kVocabulary));
  QKV_TRY(const int32_t first, Needed(*parts, "[CLS]", kVocabulary));
  QKV_TRY(const int32_t last, Needed(*parts, "[SEP]", kVocabulary));
  // The options of tokenizer_config.json.
  RewriteStep::Bert bert;
  QKV_TRY(bert.lowercase, json.Bool("do_lower_case", true));
  QKV_TRY(bert.strip_accents, json.Bool("strip_accents", bert.lowercase));
  QKV_TRY(bert.split_ideographs, json.Bool("tokenize_chinese_chars", true));
  parts->rewriting.push_back({.bert = bert});
  parts->words.push_back({});
  parts->model = WordPiece{.unknown = unknown};
  parts->SetTemplates(first, last, false);
  parts->decoding = {Parts::Decoding::Kind::kWordPiece, "##", true};
  return Tokenizer(std::move(parts));
}

Result<Tokenizer> Tokenizer::ParseByteLevel(std::string_view vocabulary, std::string_view merges,
                                            std::string_view config, bool roberta) {
  constexpr const char *kVocabulary = "vocab.json", *kMerges = "merges.txt";
  QKV_TRY(const JsonObject json, ReadConfig(config));
  QKV_TRY(const JsonObject pieces, JsonObject::Parse(vocabulary, kVocabulary));
  auto parts = std::make_unique<Parts>();
  // vocab.json: the id of each piece.
  for (const auto& member : pieces.root().GetObject()) {
    const std::string piece(member.name.GetString(), member.name.GetStringLength());
    if (!member.value.IsUint() || member.value.GetUint() >= kMostPieces) {
      return Error{ErrorCode::kInvalidFile, "its id must be a whole number below " + std::to_string(kMostPieces),
                   std::string(kVocabulary) + ", " + piece};
    }
    const int64_t id = member.value.GetUint();
    QKV_CHECK(parts->AddPiece(piece, id, false, kVocabulary));
  }
  QKV_CHECK(parts->BuildTrie(kVocabulary));
  QKV_CHECK(AddSpecial(*parts, {"<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"}, kVocabulary));
  // merges.txt: a pair a line, the earlier the better.
  std::vector<PairMerges::Merge> list;
  const auto lines = static_cast<size_t>(std::count(merges.begin(), merges.end(), '\n')) + 1;
  QKV_CHECK(CheckMemory(lines * PairMerges::kBytes, kTooLarge, kMerges));
  list.reserve(lines);
  for (bool first = true; !merges.empty(); first = false) {
    const size_t end = std::min(merges.find('\n'), merges.size());
    std::string_view line = merges.substr(0, end);
    merges.remove_prefix(std::min(end + 1, merges.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (first && line.starts_with("#version"))) continue;
    const size_t space = std::min(line.find(' '), line.size() - 1);
    QKV_CHECK(parts->AddMerge(line.substr(0, space), line.substr(space + 1), list, kMerges));
  }
  // How words are cut and joined.
  QKV_TRY(const bool prefix, json.Bool("add_prefix_space", false));
  parts->words.push_back(
      {.kind = WordStep::Kind::kByteLevel, .prefix = prefix ? WordStep::Prefix::kAlways : WordStep::Prefix::kNever});
  Pairs pairs;
  pairs.merges = PairMerges(list);
  parts->FindBytes(pairs);
  parts->model = std::move(pairs);
  // RoBERTa puts pieces around a text; GPT-2 does not.
  if (roberta) {
    QKV_TRY(const int32_t first, Needed(*parts, "<s>", kVocabulary));
    QKV_TRY(const int32_t last, Needed(*parts, "</s>", kVocabulary));
    parts->SetTemplates(first, last, true);
    parts->trims = true;
    parts->trims_first = !prefix;
  }
  parts->decoding.kind = Parts::Decoding::Kind::kByteLevel;
  return Tokenizer(std::move(parts));
}

}  // namespace qkv
