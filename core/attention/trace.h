// The trace: every attention weight of a forward, kept as it is computed. It is asked for by the caller who puts one
// into the Context; without one nothing is stored.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace qkv {

enum class AttentionKind { kEncoderSelf, kDecoderSelf, kCross };
inline constexpr size_t kAttentionKinds = 3;

// Where in a model an attention stands.
struct AttentionPlace {
  AttentionKind kind;
  size_t layer;
};

// Weights [layers, heads, targets, sources] of one kind.
struct AttentionMap {
  size_t layers = 0, heads = 0, targets = 0, sources = 0;
  std::vector<float> weights;

  const float* Row(size_t layer, size_t head, size_t target) const {
    return weights.data() + ((layer * heads + head) * targets + target) * sources;
  }
};

// Traces one sequence (one segment) at a time.
class AttentionTrace {
 public:
  // Makes room for a kind; kinds without room are not kept.
  void Reserve(AttentionKind kind, size_t layers, size_t heads, size_t targets, size_t sources) {
    maps_[Index(kind)] = {layers, heads, targets, sources, std::vector<float>(layers * heads * targets * sources)};
  }
  // Room for the centre of the window that each target looks through.
  void ReserveCentres(size_t targets) { centres_.resize(targets); }
  // Where they are written, or null.
  float* Centres() { return centres_.empty() ? nullptr : centres_.data(); }
  std::vector<float> TakeCentres() { return std::move(centres_); }

  // Where the attention at `place` writes its weights [heads, targets, sources], or null.
  float* Weights(AttentionPlace place) {
    AttentionMap& map = maps_[Index(place.kind)];
    if (place.layer >= map.layers) return nullptr;
    return map.weights.data() + place.layer * map.heads * map.targets * map.sources;
  }

  const AttentionMap& Map(AttentionKind kind) const { return maps_[Index(kind)]; }
  AttentionMap Take(AttentionKind kind) { return std::move(maps_[Index(kind)]); }

 private:
  static size_t Index(AttentionKind kind) { return static_cast<size_t>(kind); }
  std::array<AttentionMap, kAttentionKinds> maps_;
  std::vector<float> centres_;
};

}  // namespace qkv
