#include "core/train/rank_heads.h"

#include <algorithm>
#include <cmath>

namespace qkv {
namespace {

constexpr int32_t kNull = -1;

// For each word the place of its likeliest source word; of equally likely ones the nearest to the diagonal.
std::vector<int32_t> LikeliestSources(std::span<const int32_t> given, std::span<const int32_t> words,
                                      const Model1& model) {
  std::vector<int32_t> sources;
  sources.reserve(words.size());
  const auto place = [](size_t at, size_t count) {
    return (static_cast<double>(at) + 0.5) / static_cast<double>(count);
  };
  for (size_t j = 0; j < words.size(); ++j) {
    int32_t source = kNull;
    float best = model.NullProbability(words[j]);
    double nearest = 0;
    for (size_t i = 0; i < given.size(); ++i) {
      const float p = model.Probability(given[i], words[j]);
      const double distance = std::abs(place(i, given.size()) - place(j, words.size()));
      if (p < best || p == 0 || (p == best && (source == kNull || distance >= nearest))) continue;
      source = static_cast<int32_t>(i);
      best = p;
      nearest = distance;
    }
    sources.push_back(source);
  }
  return sources;
}

}  // namespace

PieceLinks LinkPieces(std::span<const int32_t> source, std::span<const int32_t> target, const Model1& forward,
                      const Model1& reverse) {
  // A link stays if both directions choose it: the intersection of the alignments (Och and Ney 2003).
  PieceLinks links{LikeliestSources(source, target, forward)};
  const std::vector<int32_t> reversed = LikeliestSources(target, source, reverse);
  for (size_t j = 0; j < target.size(); ++j) {
    int32_t& i = links.source_of[j];
    if (i != kNull && reversed[static_cast<size_t>(i)] != static_cast<int32_t>(j)) i = kNull;
  }
  return links;
}

void HeadRanking::Add(AttentionMap cross, PieceLinks links) {
  links_ +=
      links.source_of.size() - static_cast<size_t>(std::count(links.source_of.begin(), links.source_of.end(), kNull));
  pairs_.push_back({std::move(cross), std::move(links)});
}

double HeadRanking::Agreement(std::span<const Head> heads) const {
  // How often the mean of the heads has its largest weight at the linked piece.
  size_t right = 0;
  std::vector<float> sum;
  for (const auto& [cross, links] : pairs_) {
    for (size_t j = 0; j < links.source_of.size(); ++j) {
      if (links.source_of[j] == kNull) continue;
      sum.assign(cross.sources, 0);
      for (const auto& [layer, head] : heads) {
        const float* row = cross.Row(layer, head, j);
        for (size_t i = 0; i < cross.sources; ++i) sum[i] += row[i];
      }
      right += std::max_element(sum.begin(), sum.end()) - sum.begin() == links.source_of[j] ? 1 : 0;
    }
  }
  return links_ == 0 ? 0 : static_cast<double>(right) / static_cast<double>(links_);
}

std::vector<HeadRanking::Head> HeadRanking::Heads() const {
  std::vector<Head> heads;
  if (pairs_.empty()) return heads;
  for (size_t layer = 0; layer < pairs_.front().cross.layers; ++layer) {
    for (size_t head = 0; head < pairs_.front().cross.heads; ++head) heads.emplace_back(layer, head);
  }
  return heads;
}

std::vector<HeadRanking::Head> HeadRanking::Choose(size_t most) const {
  // Greedy: each round adds the head that helps most, until none does.
  std::vector<Head> chosen;
  const std::vector<Head> all = Heads();
  for (double reached = 0; chosen.size() < most;) {
    std::vector<Head> best;
    for (const Head& head : all) {
      if (std::find(chosen.begin(), chosen.end(), head) != chosen.end()) continue;
      std::vector<Head> more = chosen;
      more.push_back(head);
      const double agreement = Agreement(more);
      if (agreement <= reached) continue;
      reached = agreement;
      best = std::move(more);
    }
    if (best.empty()) break;
    chosen = std::move(best);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace qkv
