// The pointer network (Vinyals et al. 2015): it reads points and writes them in an order. The attention is the output:
// each step writes the place of an input by u_j = v' tanh(W_1 e_j + W_2 d_i), for any number of inputs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/attend.h"
#include "core/layers/recurrent.h"
#include "core/layers/weight_slots.h"

namespace qkv {

struct PointerConfig {
  size_t inputs = 1;                // columns of a point
  size_t d = 64;                    // of a state
  CellKind cell = CellKind::kLstm;  // of both sides
  bool bidirectional = false;       // the encoder; each direction then has d / 2
  bool repeats = false;             // a point may be written twice
};

class PointerNetwork {
 public:
  explicit PointerNetwork(const PointerConfig& config);

  const PointerConfig& config() const { return config_; }
  WeightSlots Slots();

  // Teacher forcing: the logarithm of the probability of every choice, [2, choices], and the entropies
  // (core/attention/attend_backward.h, Likelihood). points [rows, inputs]; choice i of a segment is the place, counted
  // from the segment's first point, that is written at step i.
  MatrixView ForwardForTraining(Context& ctx, ConstMatrixView points, const Segments& segments,
                                std::span<const int32_t> choices, const Segments& choice_segments) const;

  // Writes the order of one set of points greedily: at most `most` places, or up to the place `stop`. `weights` [most,
  // rows], if given, gets the probabilities of each step. Without repeats `most` is at most the number of points.
  std::vector<int32_t> Point(Context& ctx, ConstMatrixView points, size_t most, int32_t stop = kNoKey,
                             float* weights = nullptr) const;

 private:
  Attention Choices(Context& ctx) const;

  PointerConfig config_;
  RecurrentLayer encoder_;
  RecurrentCell decoder_;
  Vector start_;         // [inputs]: the decoder's first input
  Linear keys_, query_;  // W_1, W_2 [d, d]
  Vector v_;             // [d]
};

}  // namespace qkv
