#include "core/train/learn_shortlist.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace qkv {
namespace {

// The most frequent pieces of the targets, of equals the lower id; pieces that no target has are left out.
std::vector<int32_t> FrequentPieces(const SentencePairs& pairs, size_t vocabulary, size_t most) {
  std::vector<size_t> counts(vocabulary, 0);
  for (size_t pair = 0; pair < pairs.size(); ++pair) {
    for (const int32_t piece : pairs.Target(pair)) ++counts[static_cast<size_t>(piece)];
  }
  const auto count = [&](int32_t piece) { return counts[static_cast<size_t>(piece)]; };
  const auto rank = [&](int32_t piece) { return std::pair(-static_cast<int64_t>(count(piece)), piece); };
  std::vector<int32_t> pieces(vocabulary);
  std::iota(pieces.begin(), pieces.end(), 0);
  std::sort(pieces.begin(), pieces.end(), [&](int32_t a, int32_t b) { return rank(a) < rank(b); });
  pieces.resize(std::min(most, vocabulary));
  while (!pieces.empty() && count(pieces.back()) == 0) pieces.pop_back();
  return pieces;
}

// The likeliest pieces of a row, by ascending id.
std::vector<int32_t> BestPieces(std::span<const Model1::Entry> row, const std::vector<bool>& everywhere,
                                const ShortlistSize& size) {
  std::vector<Model1::Entry> entries;
  for (const Model1::Entry& entry : row) {
    if (!everywhere[static_cast<size_t>(entry.target)] && entry.probability >= size.least) entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(), Model1::Likelier);
  entries.resize(std::min(entries.size(), size.best));
  std::vector<int32_t> pieces(entries.size());
  std::transform(entries.begin(), entries.end(), pieces.begin(), [](const auto& entry) { return entry.target; });
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

}  // namespace

ShortlistContent LearnShortlist(const Model1& model, const SentencePairs& pairs, size_t source_vocabulary,
                                size_t target_vocabulary, int32_t end, const ShortlistSize& size) {
  std::vector<int32_t> frequent = FrequentPieces(pairs, target_vocabulary, size.first);
  if (std::find(frequent.begin(), frequent.end(), end) == frequent.end()) frequent.push_back(end);
  std::sort(frequent.begin(), frequent.end());
  std::vector<bool> everywhere(target_vocabulary, false);
  for (const int32_t piece : frequent) everywhere[static_cast<size_t>(piece)] = true;

  ShortlistContent content{0, size.best, {}};
  for (size_t row = 0; row < source_vocabulary; ++row) {
    content.lists.push_back(BestPieces(model.Row(static_cast<int32_t>(row)), everywhere, size));
  }
  content.lists[static_cast<size_t>(end)] = std::move(frequent);
  if (content.lists.back().empty()) content.lists.back() = {end};
  return content;
}

}  // namespace qkv
