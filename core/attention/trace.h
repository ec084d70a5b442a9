// The trace: every attention weight of a forward, kept as it is computed, and on request the queries, keys and values
// behind them. The caller requests it by putting one into the Context; without one nothing is stored.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace qkv {

// kGates: the forget gates of a decoder with a recurrence: [layers, 1, targets, gates].
enum class AttentionKind { kEncoderSelf, kDecoderSelf, kCross, kGates };
inline constexpr size_t kAttentionKinds = 4;

// The place of an attention in a model.
struct AttentionPlace {
  AttentionKind kind;
  size_t layer;
};

// Weights [layers, heads, targets, sources] of one kind. With vectors (dim is not 0), weights are
// softmax(q'k / sqrt(dim)) of queries [layers, heads, targets, dim] and keys [layers, heads, sources, dim], and each
// head passes on its weights times values, of the keys' shape.
struct AttentionMap {
  size_t layers = 0, heads = 0, targets = 0, sources = 0;
  std::vector<float> weights;
  size_t dim = 0;
  std::vector<float> queries, keys, values;

  const float* Row(size_t layer, size_t head, size_t target) const {
    return weights.data() + ((layer * heads + head) * targets + target) * sources;
  }
};

// Traces one sequence (one segment) at a time.
class AttentionTrace {
 public:
  // Allocates a kind; kinds that are not allocated are not kept. dim: of the vectors of a head; 0: weights only.
  void Reserve(AttentionKind kind, size_t layers, size_t heads, size_t targets, size_t sources, size_t dim = 0) {
    AttentionMap& map = maps_[Index(kind)];
    map = {layers, heads, targets, sources, std::vector<float>(layers * heads * targets * sources), dim, {}, {}, {}};
    map.queries.resize(layers * heads * targets * dim);
    map.keys.resize(layers * heads * sources * dim);
    map.values.resize(map.keys.size());
  }
  // Allocates the window centre of each target.
  void ReserveCentres(size_t targets) { centres_.resize(targets); }
  // The memory for the centres, or null.
  float* Centres() { return centres_.empty() ? nullptr : centres_.data(); }
  std::vector<float> TakeCentres() { return std::move(centres_); }

  // Where the attention at `place` writes its weights [heads, targets, sources], or null.
  float* Weights(AttentionPlace place) {
    AttentionMap& map = maps_[Index(place.kind)];
    if (place.layer >= map.layers) return nullptr;
    return map.weights.data() + place.layer * map.heads * map.targets * map.sources;
  }

  // Where the attention at `place` writes its vectors, [heads, rows, dim] each; nulls where they are not kept.
  struct Vectors {
    float *queries = nullptr, *keys = nullptr, *values = nullptr;
  };
  Vectors VectorsOf(AttentionPlace place) {
    AttentionMap& map = maps_[Index(place.kind)];
    if (place.layer >= map.layers || map.dim == 0) return {};
    const size_t asked = place.layer * map.heads * map.targets * map.dim;
    const size_t seen = place.layer * map.heads * map.sources * map.dim;
    return {map.queries.data() + asked, map.keys.data() + seen, map.values.data() + seen};
  }

  const AttentionMap& Map(AttentionKind kind) const { return maps_[Index(kind)]; }
  AttentionMap Take(AttentionKind kind) { return std::move(maps_[Index(kind)]); }

 private:
  static size_t Index(AttentionKind kind) { return static_cast<size_t>(kind); }
  std::array<AttentionMap, kAttentionKinds> maps_;
  std::vector<float> centres_;
};

}  // namespace qkv
