#include "core/text/unigram.h"

#include <algorithm>
#include <cassert>
#include <cfloat>
#include <cmath>
#include <limits>
#include <utility>

#include "core/text/utf.h"

namespace qkv {
namespace {

constexpr float kUnknownPenalty = 10;

// The best cut of the text before a position: the id and the beginning of its last piece, and the sum of scores.
struct Step {
  int32_t id = -1;
  int32_t begin = -1;
  double score = 0;

  // `keep` rounds the sum that is stored. Sums are compared before rounding: with equal or nearly equal sums the
  // reference's choice depends on this.
  template <class Keep>
  void Offer(int32_t new_id, size_t new_begin, double sum, const Keep& keep) {
    if (begin >= 0 && sum <= score) return;
    *this = {new_id, static_cast<int32_t>(new_begin), keep(sum)};
  }
};

bool Usable(int32_t id, const Vocabulary& vocabulary) {
  return vocabulary.Type(id) == PieceType::kNormal || vocabulary.Type(id) == PieceType::kUserDefined;
}

std::vector<Segment> FollowBack(const std::vector<Step>& best) {
  std::vector<Segment> segments;
  for (size_t end = best.size() - 1; end > 0; end = static_cast<size_t>(best[end].begin)) {
    segments.push_back({best[end].id, static_cast<uint32_t>(end)});
  }
  std::reverse(segments.begin(), segments.end());
  return segments;
}

}  // namespace

Unigram::Unigram(const Vocabulary& vocabulary) {
  // The reference starts its maximum at FLT_MIN, the smallest positive number; the bonus of user-defined pieces
  // depends on it.
  float min_score = FLT_MAX;
  max_score_ = FLT_MIN;
  for (int32_t id = 0; id < static_cast<int32_t>(vocabulary.size()); ++id) {
    if (vocabulary.Type(id) != PieceType::kNormal) continue;
    min_score = std::min(min_score, vocabulary.Score(id));
    max_score_ = std::max(max_score_, vocabulary.Score(id));
  }
  unknown_score_ = double{min_score - kUnknownPenalty};
}

Unigram::Unigram([[maybe_unused]] const Vocabulary& vocabulary, std::vector<double> scores)
    : scores_(std::move(scores)) {
  assert(scores_.size() == vocabulary.size());
  unknown_score_ = *std::min_element(scores_.begin(), scores_.end()) - double{kUnknownPenalty};
}

double Unigram::Score(int32_t id, size_t length, const Vocabulary& vocabulary) const {
  if (!scores_.empty()) return scores_[static_cast<size_t>(id)];
  if (vocabulary.Type(id) != PieceType::kUserDefined) return vocabulary.Score(id);
  return static_cast<float>(length) * max_score_ - 0.1;  // higher than the score of any other cut
}

template <class Offer>
void Unigram::ForEachPiece(std::string_view normalized, const Vocabulary& vocabulary, Offer offer) const {
  const Trie& pieces = vocabulary.pieces();
  for (size_t begin = 0; begin < normalized.size();) {
    const size_t character = std::min(AnnouncedLength(normalized[begin]), normalized.size() - begin);
    bool covered = false;  // a piece of exactly this character exists
    uint32_t node = Trie::kRoot;
    for (size_t end = begin; end < normalized.size();) {
      node = pieces.Child(node, normalized[end++]);
      if (node == Trie::kNowhere) break;
      const int32_t id = pieces.Value(node);
      if (id < 0 || !Usable(id, vocabulary)) continue;
      offer(id, begin, end, Score(id, end - begin, vocabulary));
      covered |= end - begin == character;
    }
    if (!covered) offer(vocabulary.unknown_id(), begin, begin + character, unknown_score_);
    begin += character;
  }
}

std::vector<Segment> Unigram::Cut(std::string_view normalized, const Vocabulary& vocabulary) const {
  std::vector<Step> best(normalized.size() + 1);
  const auto single = [](double sum) { return double{static_cast<float>(sum)}; };
  const auto same = [](double sum) { return sum; };
  ForEachPiece(normalized, vocabulary, [&](int32_t id, size_t begin, size_t end, double score) {
    const double sum = best[begin].score + score;
    if (!scores_.empty()) return best[end].Offer(id, begin, sum, same);
    // SentencePiece adds an unknown character's score in single precision.
    best[end].Offer(id, begin, id == vocabulary.unknown_id() ? single(sum) : sum, single);
  });
  return FollowBack(best);
}

std::vector<Segment> Unigram::Sample(std::string_view normalized, const Vocabulary& vocabulary, float alpha,
                                     Random& random) const {
  // The log of the sum of exp(alpha * score) over all cuts of the text before a position.
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  std::vector<double> before(normalized.size() + 1, kNothing);
  before[0] = 0;
  struct Edge {
    int32_t id;
    uint32_t begin, end;
    double score;  // alpha * the piece's score + before[begin]
  };
  std::vector<Edge> edges;
  ForEachPiece(normalized, vocabulary, [&](int32_t id, size_t begin, size_t end, double score) {
    if (before[begin] == kNothing) return;  // a position inside a character
    const double sum = double{alpha} * score + before[begin];
    edges.push_back({id, static_cast<uint32_t>(begin), static_cast<uint32_t>(end), sum});
    const double larger = std::max(before[end], sum), smaller = std::min(before[end], sum);
    before[end] = larger + std::log1p(std::exp(smaller - larger));
  });
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.end < b.end || (a.end == b.end && a.begin < b.begin); });
  std::vector<Segment> segments;
  for (size_t end = normalized.size(), last = edges.size(); end > 0;) {
    while (edges[last - 1].end > end) --last;
    double left = static_cast<double>(random.Uniform());
    size_t chosen = last;
    do left -= std::exp(edges[--chosen].score - before[end]);
    while (left >= 0 && chosen > 0 && edges[chosen - 1].end == end);
    segments.push_back({edges[chosen].id, static_cast<uint32_t>(end)});
    end = edges[chosen].begin;
    last = chosen;
  }
  std::reverse(segments.begin(), segments.end());
  return segments;
}

}  // namespace qkv
