// What is known of every model that turns one sequence of pieces into another, whatever it is made of.
#pragma once

#include <cstddef>
#include <cstdint>

namespace qkv {

// How many matrices of attention weights a model has of a kind, and how long a head's queries, keys and values are; 0
// where the attention is not of that form.
struct AttentionShape {
  size_t layers = 0, heads = 0, dim = 0;
};

struct SequenceConfig {
  size_t d_model = 0;  // the width of what its layers pass on
  size_t encoder_layers = 0, decoder_layers = 0;
  size_t source_vocabulary = 0, vocabulary = 0;  // rows of the source's embedding and the target's; one where shared
  size_t max_positions = 0;                      // positions that exist, on both sides
  int32_t pad = 0, end = 0, start = 0;
  AttentionShape encoder_self = {}, decoder_self = {}, cross = {};
  double half_width = 0;  // of the window that the cross attention looks through, in positions; 0: it sees all
};

}  // namespace qkv
