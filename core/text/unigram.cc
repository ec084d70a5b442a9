#include "core/text/unigram.h"

#include <algorithm>
#include <cfloat>

#include "core/text/utf.h"

namespace qkv {
namespace {

constexpr float kUnknownPenalty = 10;

// The best way to reach a position: its last piece, where that begins, and the sum of scores.
struct Step {
  int32_t id = -1;
  int32_t begin = -1;
  float score = 0;

  // The sum is compared in double precision and kept in single: on ties and near-ties the reference's choice depends on
  // it.
  void Offer(int32_t new_id, size_t new_begin, double sum) {
    if (begin >= 0 && sum <= score) return;
    *this = {new_id, static_cast<int32_t>(new_begin), static_cast<float>(sum)};
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
  unknown_score_ = min_score - kUnknownPenalty;
}

double Unigram::Score(int32_t id, size_t length, const Vocabulary& vocabulary) const {
  if (vocabulary.Type(id) != PieceType::kUserDefined) return vocabulary.Score(id);
  return static_cast<float>(length) * max_score_ - 0.1;  // better than any other cut
}

std::vector<Segment> Unigram::Cut(std::string_view normalized, const Vocabulary& vocabulary) const {
  const Trie& pieces = vocabulary.pieces();
  std::vector<Step> best(normalized.size() + 1);
  for (size_t begin = 0; begin < normalized.size();) {
    const size_t character = std::min(AnnouncedLength(normalized[begin]), normalized.size() - begin);
    const float score = best[begin].score;
    bool covered = false;  // by a piece of this one character
    uint32_t node = Trie::kRoot;
    for (size_t end = begin; end < normalized.size();) {
      node = pieces.Child(node, normalized[end++]);
      if (node == Trie::kNowhere) break;
      const int32_t id = pieces.Value(node);
      if (id < 0 || !Usable(id, vocabulary)) continue;
      best[end].Offer(id, begin, Score(id, end - begin, vocabulary) + score);
      covered |= end - begin == character;
    }
    if (!covered) best[begin + character].Offer(vocabulary.unknown_id(), begin, unknown_score_ + score);
    begin += character;
  }
  return FollowBack(best);
}

}  // namespace qkv
