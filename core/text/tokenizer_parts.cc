#include "core/text/tokenizer_parts.h"

#include <algorithm>
#include <utility>

#include "core/base/budget.h"
#include "core/text/byte_level.h"

namespace qkv {

using Parts = TokenizerParts;

Result<void> TokenizerParts::AddPiece(std::string_view text, int64_t id, bool is_special, std::string_view where) {
  const auto at = static_cast<size_t>(id);
  const auto fail = [&](const char* message, ErrorCode code = ErrorCode::kInvalidFile) {
    return Error{code, "piece " + std::to_string(id) + message, std::string(where)};
  };
  // The text, and the memory that one more piece may take.
  if (text.empty()) return fail(" is empty");
  if (text.size() > kLongestPiece) return fail(" is over 1,024 bytes", ErrorCode::kLimitExceeded);
  if (at >= spans.capacity() || texts.size() + text.size() > texts.capacity()) {  // the lists grow to twice their size
    QKV_CHECK(CheckMemory(3 * ((at + 1) * (sizeof(Span) + 1) + texts.size() + text.size()), kTooLarge, where));
  }
  // The list grows to the id, which may come in any order.
  if (at >= spans.size()) {
    spans.resize(at + 1);
    special.resize(at + 1);
  }
  if (is_special) special[at] = true;
  // A piece may be given twice if its text is the same.
  if (spans[at].length != 0) {
    if (Text(static_cast<int32_t>(id)) == text) return {};
    return fail(" has two texts");
  }
  spans[at] = {static_cast<uint32_t>(texts.size()), static_cast<uint32_t>(text.size())};
  texts += text;
  return {};
}

Result<void> TokenizerParts::BuildTrie(std::string_view where) {
  // Ids without a piece are left out.
  std::vector<Trie::Entry> entries;
  QKV_CHECK(CheckMemory(spans.size() * sizeof(Trie::Entry), kTooLarge, where));
  entries.reserve(spans.size());
  for (size_t id = 0; id < spans.size(); ++id) {
    if (spans[id].length != 0) entries.push_back({Text(static_cast<int32_t>(id)), static_cast<int32_t>(id)});
  }
  if (entries.empty()) return Error{ErrorCode::kInvalidFile, "the vocabulary is empty", std::string(where)};
  QKV_TRY(pieces, Trie::Build(std::move(entries), where));
  return {};
}

Result<void> TokenizerParts::BuildAdded(std::vector<AddedPiece> found, Added& to, std::string_view where) {
  to.pieces = std::move(found);
  std::vector<Trie::Entry> entries;
  entries.reserve(to.pieces.size());
  for (const AddedPiece& piece : to.pieces) entries.push_back({piece.content, static_cast<int32_t>(entries.size())});
  QKV_TRY(to.trie, Trie::Build(std::move(entries), where));
  return {};
}

Result<void> TokenizerParts::AddMerge(std::string_view left, std::string_view right,
                                      std::vector<PairMerges::Merge>& list, const char* file) {
  // Both parts and their union must be pieces.
  const auto find = [&](std::string_view piece) { return piece.empty() ? -1 : pieces.Find(piece); };
  const PairMerges::Merge merge{find(left), find(right), find(std::string(left) + std::string(right))};
  if (merge.left < 0 || merge.right < 0 || merge.joined < 0) {
    return Error{ErrorCode::kInvalidFile,
                 "merge " + std::to_string(list.size()) + " joins what are no pieces of the vocabulary",
                 std::string(file) + ", merges"};
  }
  list.push_back(merge);
  return {};
}

void TokenizerParts::FindBytes(Pairs& pairs) const {
  const auto is_bytes = [](const WordStep& step) { return step.kind == WordStep::Kind::kByteLevel; };
  pairs.byte_level = std::any_of(words.begin(), words.end(), is_bytes);
  // The piece of each byte, for vocabularies that spell bytes as characters.
  const std::array<uint32_t, 256> characters = ByteCharacters();
  for (size_t byte = 0; byte < 256; ++byte) {
    std::string character;
    AppendUtf8(characters[byte], character);
    pairs.bytes[byte] = pieces.Find(character);
  }
}

void TokenizerParts::SetTemplates(int32_t first, int32_t last, bool roberta) {
  // <s> A </s>, and for two texts BERT's [CLS] A [SEP] B [SEP] or RoBERTa's <s> A </s></s> B </s>.
  single = {{first, 0, 0}, {-1, 0, 0}, {last, 0, 0}};
  pair = single;
  if (roberta) pair.push_back({last, 0, 0});
  pair.push_back({-1, 1, roberta ? 0 : 1});
  pair.push_back({last, 0, roberta ? 0 : 1});
}

}  // namespace qkv
