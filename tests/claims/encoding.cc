// How long encoding a source takes, by its length: two LSTM layers and two Transformer layers with as many weights, all
// random, on one thread and on two, in turn. One line of JSON each: the median of the runs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "core/models/rnn_seq2seq.h"
#include "core/models/transformer.h"
#include "core/train/initialise.h"

namespace qkv {
namespace {

constexpr size_t kWidth = 256, kLayers = 2, kVocabulary = 64, kMostPieces = 500, kRuns = 101;

template <class Config>
Config Sizes() {
  Config config;
  config.d_model = kWidth;
  config.encoder_layers = kLayers;
  config.decoder_layers = 1;
  config.vocabulary = kVocabulary;
  config.max_positions = kMostPieces;
  return config;
}

// 2 layers of 4 d (2 d + 2) = 1,052,672 weights.
RnnConfig Recurrent() {
  RnnConfig config = Sizes<RnnConfig>();
  config.d_embedding = kWidth;
  return config;
}

// With an inner width of 2 d: 2 layers of 4 d (d + 1) + 4 d^2 + 3 d + 4 d = 1,054,208 weights.
TransformerConfig Attentive() {
  TransformerConfig config = Sizes<TransformerConfig>();
  config.encoder_heads = config.decoder_heads = 8;
  config.encoder_ffn = config.decoder_ffn = 2 * kWidth;
  config.encoder_self = {kLayers, 8, kWidth / 8};
  config.decoder_self = config.cross = {1, 8, kWidth / 8};
  return config;
}

struct Contestant {
  const char* name;
  const SequenceModel& model;
  size_t weights, threads;
  Context& ctx;
  std::vector<double> milliseconds = {};

  void Encode(const std::vector<int32_t>& pieces) {
    const auto start = std::chrono::steady_clock::now();
    const std::unique_ptr<EncoderPass> pass = model.Encode(pieces, Segments::One(pieces.size()));
    for (bool done = false; !done;) {
      const ArenaScope scope(ctx.arena);
      done = pass->Step(ctx);
    }
    const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
    milliseconds.push_back(passed.count());
  }
  double TakeMedian() {
    const auto middle = milliseconds.begin() + static_cast<std::ptrdiff_t>(milliseconds.size() / 2);
    std::nth_element(milliseconds.begin(), middle, milliseconds.end());
    const double median = *middle;
    milliseconds.clear();
    return median;
  }
};

// Gives a model random weights, and counts the weights of the encoder's layers.
size_t Fill(SequenceModel& model) {
  WeightSlots slots = model.Slots();
  ReserveFloats(slots);
  Parameters parameters(slots, /*gradients=*/false);
  Initialise(parameters, /*seed=*/1);
  size_t count = 0;
  for (const LearntParameter& p : parameters.all()) {
    const bool counts = p.name.find("encoder.rnn") != p.name.npos || p.name.find("encoder.layers") != p.name.npos;
    count += counts ? p.outputs * p.inputs : 0;
  }
  return count;
}

void Run() {
  RnnSeq2Seq recurrent(Recurrent());
  Transformer attentive(Attentive());
  const size_t recurrent_weights = Fill(recurrent), attentive_weights = Fill(attentive);
  Arena arena;
  ThreadPool one(1), two(2);
  Context alone{.arena = arena, .pool = one}, together{.arena = arena, .pool = two};
  Contestant contestants[] = {{"LSTM", recurrent, recurrent_weights, 1, alone},
                              {"LSTM", recurrent, recurrent_weights, 2, together},
                              {"Transformer", attentive, attentive_weights, 1, alone},
                              {"Transformer", attentive, attentive_weights, 2, together}};

  for (const size_t length : {10, 20, 50, 100, 200, 350, 500}) {
    std::vector<int32_t> pieces(length);
    for (size_t i = 0; i < length; ++i) pieces[i] = static_cast<int32_t>(7 * i % kVocabulary);
    for (Contestant& contestant : contestants) contestant.Encode(pieces);
    for (Contestant& contestant : contestants) contestant.TakeMedian();
    for (size_t run = 0; run < kRuns; ++run) {
      for (Contestant& contestant : contestants) contestant.Encode(pieces);
    }
    for (Contestant& contestant : contestants) {
      std::printf(R"({"encoder": "%s", "weights": %zu, "threads": %zu, "pieces": %zu, "milliseconds": %.4f})"
                  "\n",
                  contestant.name, contestant.weights, contestant.threads, length, contestant.TakeMedian());
    }
  }
}

}  // namespace
}  // namespace qkv

int main() {
  qkv::Run();
  return 0;
}
