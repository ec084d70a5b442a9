// The config that all sequence-to-sequence models share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace qkv {

// The number of attention weight matrices of one kind, and the lengths of a head's queries, keys and values; 0 if the
// attention has none.
struct AttentionShape {
  size_t layers = 0, heads = 0, dim = 0;
};

struct SequenceConfig {
  size_t d_model = 0;  // the width of the layers' outputs
  size_t encoder_layers = 0, decoder_layers = 0;
  // rows of the source's and the target's embedding; equal if they are shared
  size_t source_vocabulary = 0, vocabulary = 0;
  size_t max_positions = 0;  // the most positions of either side
  int32_t pad = 0, end = 0, start = 0;
  AttentionShape encoder_self = {}, decoder_self = {}, cross = {};
  bool feed_forward = false;  // whether each layer has a feed-forward block, as a Transformer's
  size_t gates = 0;           // units of the recurrence that each layer of the decoder has; 0: none
  double half_width = 0;      // of the window of cross attention, in positions; 0: no window
};

}  // namespace qkv
