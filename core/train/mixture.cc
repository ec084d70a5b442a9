#include "core/train/mixture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace qkv {

uint64_t HashOn(uint64_t hash, uint64_t number) {
  for (int byte = 0; byte < 8; ++byte) hash = (hash ^ ((number >> (8 * byte)) & 0xFF)) * 0x100000001B3u;
  return hash;
}

Result<Mixture> Mixture::Of(std::vector<std::unique_ptr<Corpus>> corpora) {
  const bool any = std::any_of(corpora.begin(), corpora.end(), [](const auto& corpus) {
    return corpus->options().weight > 0 && corpus->counts().pairs > 0;
  });
  if (!any) return Error{ErrorCode::kInvalidArgument, "there is no pair to learn from", ""};
  return Mixture(std::move(corpora));
}

Mixture::Mixture(std::vector<std::unique_ptr<Corpus>> corpora)
    : corpora_(std::move(corpora)), given_(corpora_.size()), fingerprint_(kHashBasis) {
  // A corpus gives weight * pairs of each epoch.
  double total = 0;
  for (const auto& corpus : corpora_) {
    share_.push_back(corpus->options().weight * static_cast<double>(corpus->counts().pairs));
    total += share_.back();
  }
  epoch_ = std::max<uint64_t>(static_cast<uint64_t>(std::llround(std::min(total, 1e18))), 1);
  for (size_t i = 0; i < corpora_.size(); ++i) {
    // The fingerprint changes with the files and with their shares.
    share_[i] /= total;
    fingerprint_ = HashOn(fingerprint_, corpora_[i]->counts().fingerprint);
    fingerprint_ = HashOn(fingerprint_, std::bit_cast<uint64_t>(share_[i]));
  }
}

// The corpus that is furthest behind its share.
size_t Mixture::Choose() const {
  size_t chosen = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < corpora_.size(); ++i) {
    const double owed = share_[i] * static_cast<double>(drawn_ + 1) - static_cast<double>(given_[i]);
    if (share_[i] > 0 && owed > most) {
      most = owed;
      chosen = i;
    }
  }
  return chosen;
}

Result<void> Mixture::Next(TextPair* pair) {
  const size_t corpus = Choose();
  QKV_CHECK(corpora_[corpus]->Next(pair));
  ++given_[corpus];
  ++drawn_;
  return {};
}

MixturePlace Mixture::place() const {
  MixturePlace place{drawn_, {}, given_};
  for (const auto& corpus : corpora_) place.places.push_back(corpus->place());
  return place;
}

Result<void> Mixture::Seek(const MixturePlace& place) {
  drawn_ = place.drawn;
  given_ = place.given;
  for (size_t i = 0; i < corpora_.size(); ++i) QKV_CHECK(corpora_[i]->Seek(place.places[i]));
  return {};
}

}  // namespace qkv
