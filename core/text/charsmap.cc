#include "core/text/charsmap.h"

#include <algorithm>

#include "core/base/budget.h"

namespace qkv {
namespace {

constexpr size_t kBlock = 256;  // units; an offset XORed with a byte stays in its block
constexpr size_t kMaxReplacement = 256;
// A hostile trie can have cycles. Without this bound each look-up could read to the end of the text.
constexpr size_t kMaxKey = 256;

uint32_t LittleEndian32(const uint8_t* bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value |= static_cast<uint32_t>(bytes[i]) << (8 * i);
  return value;
}

Error Invalid(std::string_view message, std::string_view where) {
  return {ErrorCode::kInvalidFile, std::string(message), std::string(where)};
}

}  // namespace

Result<Charsmap> Charsmap::Parse(std::span<const uint8_t> blob, std::string_view where) {
  if (blob.size() < 4) return Invalid("the character map is cut off", where);
  const uint32_t trie_bytes = LittleEndian32(blob.data());
  blob = blob.subspan(4);
  if (trie_bytes >= blob.size()) return Invalid("the character map is cut off", where);
  if (trie_bytes == 0 || trie_bytes % (kBlock * sizeof(Unit)) != 0) {
    return Invalid("the character map's trie is not whole blocks of 256 units", where);
  }

  QKV_CHECK(CheckMemory(blob.size(), kTooLarge, where));
  Charsmap map;
  map.units_.reserve(trie_bytes / sizeof(Unit));
  for (size_t i = 0; i < trie_bytes; i += sizeof(Unit)) map.units_.push_back({LittleEndian32(&blob[i])});
  const auto replacements = blob.subspan(trie_bytes);
  map.replacements_.assign(reinterpret_cast<const char*>(replacements.data()), replacements.size());
  QKV_CHECK(map.Check(where));
  return map;
}

Result<void> Charsmap::Check(std::string_view where) const {
  for (size_t i = 0; i < units_.size(); ++i) {
    if (i != 0 && units_[i].IsValue()) continue;  // not a node: its label matches no byte
    const size_t children = i ^ units_[i].Offset();
    if (children >= units_.size()) return Invalid("the character map's trie points outside itself", where);
    if (units_[i].HasValue() && units_[children].Value() >= replacements_.size()) {
      return Invalid("the character map's trie points outside the replacements", where);
    }
  }
  if (replacements_.back() != '\0') return Invalid("the character map's last replacement has no end", where);
  for (size_t begin = 0; begin < replacements_.size();) {
    const size_t end = replacements_.find('\0', begin);
    if (end - begin > kMaxReplacement) {
      return Error{ErrorCode::kLimitExceeded, "the character map has a replacement over 256 bytes", std::string(where)};
    }
    begin = end + 1;
  }
  return {};
}

Charsmap::Match Charsmap::Longest(std::string_view text) const {
  Match match;
  if (units_.empty()) return match;
  uint32_t value = 0;
  uint32_t children = units_[0].Offset();
  for (size_t i = 0; i < std::min(text.size(), kMaxKey); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    const uint32_t node = children ^ byte;
    if (units_[node].Label() != byte) break;
    children = node ^ units_[node].Offset();
    if (units_[node].HasValue()) {
      match.length = i + 1;
      value = units_[children].Value();
    }
  }
  if (match.length > 0) match.replacement = replacements_.c_str() + value;
  return match;
}

}  // namespace qkv
