#include "core/detect/gram_list.h"

#include <bit>
#include <charconv>

#include "core/text/unicode.h"

namespace qkv {
namespace {

constexpr size_t kMostGrams = size_t{1} << 20;

// The hash of a line of ngrams.txt; false if it is neither an n-gram nor a block.
bool HashOfLine(std::string_view line, uint32_t* hash) {
  if (line.starts_with("U+")) {
    uint32_t first = 0;
    const auto [end, error] = std::from_chars(line.data() + 2, line.data() + line.size(), first, 16);
    *hash = HashOfBlock(BlockOf(first));
    return error == std::errc() && end == line.data() + line.size() && first < kBlocks;
  }
  GramHash grams;
  size_t count = 0;
  for (size_t at = 0; at < line.size(); ++count) {
    const Decoded decoded = DecodeOne(line.substr(at));
    grams.Add(decoded.code_point);
    at += decoded.length;
  }
  *hash = grams.Value();
  return count >= 1 && count <= kLongestGram;
}

}  // namespace

bool GramList::Insert(uint32_t hash, int32_t row) {
  size_t at = hash & mask_;
  for (; places_[at].row != kNoGram; at = (at + 1) & mask_) {
    if (places_[at].hash == hash) return false;
  }
  places_[at] = {hash, row};
  return true;
}

Result<GramList> GramList::Parse(std::string_view text) {
  // A line for each row of the embedding.
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (lines.size() > kMostGrams) {
      return Error{ErrorCode::kLimitExceeded, "has more than 1,048,576 lines", "ngrams.txt"};
    }
  }
  // A hash table with open addressing, at most half full.
  GramList list;
  list.places_.resize(std::bit_ceil(2 * lines.size() + 2));
  list.mask_ = list.places_.size() - 1;
  for (const std::string_view line : lines) {
    const std::string where = "ngrams.txt:" + std::to_string(++list.size_);
    uint32_t hash = 0;
    if (!HashOfLine(line, &hash)) {
      return Error{ErrorCode::kInvalidFile, "is neither an n-gram of 1 to 8 letters nor a block", where};
    }
    if (!list.Insert(hash, static_cast<int32_t>(list.size_))) {
      return Error{ErrorCode::kInvalidFile, "has the hash of a line before it", where};
    }
  }
  return list;
}

std::vector<GramRow> GramRowsOf(const GramList& list, const std::vector<Letter>& letters) {
  std::vector<GramRow> rows = {{kNoGram, 0, 0}};
  ForEachGram(letters, [&](uint32_t hash, size_t first, size_t count) {
    int32_t row = list.Find(hash);
    if (row == kNoGram && count == 1) row = list.Find(HashOfBlock(BlockOf(letters[first].code_point)));
    if (row != kNoGram) rows.push_back({row, static_cast<uint32_t>(first), static_cast<uint32_t>(count)});
  });
  return rows;
}

}  // namespace qkv
