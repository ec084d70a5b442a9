// Recurrent encoder-decoders: every variant against PyTorch's autograd in float64, and results that must be equal bit
// for bit.
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/trace.h"
#include "core/base/tape.h"
#include "core/decode/beam.h"
#include "core/kernels/softmax.h"
#include "core/models/any_sequence_model.h"
#include "core/models/rnn_config.h"
#include "core/train/loss_pass.h"
#include "core/train/parameters.h"
#include "tests/core/rnn_goldens.h"

namespace qkv {
namespace {

template <class Ours>
double Distance(const Ours& ours, const std::vector<double>& exact) {
  double sum = 0;
  for (size_t i = 0; i < exact.size(); ++i) sum += std::pow(static_cast<double>(ours[i]) - exact[i], 2);
  return std::sqrt(sum);
}

double Norm(const std::vector<double>& x) { return Distance(std::vector<double>(x.size()), x); }

// |g - g*| <= 1e-4 |g*| + 1e-6 |all g*|, tensor by tensor.
TEST(RnnSeq2Seq, LossAndGradientsArePyTorchs) {
  ForEachRnnCase([](RnnCase& golden) {
    for (const size_t threads : {1, 3}) {
      Arena arena;
      ThreadPool pool(threads);
      Tape tape;
      golden.parameters->ClearGradients();
      golden.parameters->Watch(tape);
      Context ctx{.arena = arena, .pool = pool, .tape = &tape};
      const auto pieces = static_cast<float>(golden.batch.target_out.size());
      const Loss loss =
          LossPass(ctx, TrainableSequenceModel(*golden.model), golden.batch, golden.smoothing, 1 / pieces);
      EXPECT_NEAR(loss.smoothed / pieces, golden.loss(), 1e-5 * golden.loss());
      double all = 0;
      for (const LearntParameter& p : golden.parameters->all()) all += std::pow(Norm(golden["d " + p.name]), 2);
      for (const LearntParameter& p : golden.parameters->all()) {
        std::vector<float> g(p.outputs * p.inputs);
        Unpack(p, p.gradient.data(), g.data());
        const std::vector<double> exact = golden["d " + p.name];
        EXPECT_LE(Distance(g, exact), 1e-4 * Norm(exact) + 1e-6 * std::sqrt(all)) << p.name;
      }
    }
  });
}

Matrix Taught(const RnnCase& golden, size_t threads = 2) {
  Arena arena;
  ThreadPool pool(threads);
  Context ctx{.arena = arena, .pool = pool};
  const Batch& batch = golden.batch;
  return golden.model->Logits(ctx, View(golden.model->ForwardForTraining(ctx, batch.source, batch.source_segments,
                                                                         batch.target_in, batch.target_segments)));
}

TEST(RnnSeq2Seq, LogitsArePyTorchs) {
  ForEachRnnCase([](RnnCase& golden) {
    const std::vector<double> exact = golden["logits"];
    const Matrix logits = Taught(golden);
    EXPECT_LE(Distance(std::span(logits.data(), exact.size()), exact), 1e-6 * Norm(exact));
  });
}

// One forced pass, with the trace of pair `i`.
Matrix Forced(const RnnCase& golden, size_t i, AttentionTrace& trace) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{.arena = arena, .pool = pool, .trace = &trace};
  const SequenceConfig& config = golden.model->config();
  const size_t sources = golden.source(i).size(), targets = golden.target(i).size();
  trace.Reserve(AttentionKind::kEncoderSelf, config.encoder_self.layers, config.encoder_self.heads, sources, sources);
  trace.Reserve(AttentionKind::kCross, config.cross.layers, config.cross.heads, targets, sources);
  if (config.half_width > 0) trace.ReserveCentres(targets);
  const auto encoder = golden.model->Encode({golden.source(i).begin(), golden.source(i).end()}, Segments::One(sources));
  while (!encoder->Step(ctx)) arena.Rewind({});
  const auto decoder = golden.model->Force(encoder->Start(ctx, {0}), {golden.read(i).begin(), golden.read(i).end()});
  while (!decoder->Step(ctx)) arena.Rewind({});
  return golden.model->Logits(ctx, decoder->rows());
}

// Decoding one sentence step by step equals the loss pass over a whole batch, bit for bit.
TEST(RnnSeq2Seq, DecodesWhatItIsTaught) {
  ForEachRnnCase([](RnnCase& golden) {
    const Matrix taught = Taught(golden);
    EXPECT_EQ(taught, Taught(golden, 3));
    for (size_t i = 0; i < golden.batch.size(); ++i) {
      AttentionTrace trace;
      const Segments& targets = golden.batch.target_segments;
      EXPECT_EQ(Forced(golden, i, trace), taught.middleRows(static_cast<Eigen::Index>(targets.begin(i)),
                                                            static_cast<Eigen::Index>(targets.length(i))));
    }
  });
}

TEST(RnnSeq2Seq, AttendsAsPyTorchDoes) {
  ForEachRnnCase([](RnnCase& golden) {
    std::vector<float> weights, centres;
    for (size_t i = 0; i < golden.batch.size(); ++i) {
      AttentionTrace trace;
      Forced(golden, i, trace);
      const AttentionMap cross = trace.Take(AttentionKind::kCross);
      weights.insert(weights.end(), cross.weights.begin(), cross.weights.end());
      const std::vector<float> places = trace.TakeCentres();
      centres.insert(centres.end(), places.begin(), places.end());
      const AttentionMap self = trace.Take(AttentionKind::kEncoderSelf);
      EXPECT_EQ(self.weights.empty(), golden.model->config().encoder_self.layers == 0);
      if (!self.weights.empty()) EXPECT_NEAR(self.Row(0, 0, 0)[0] > 0, 1, 0);
    }
    EXPECT_EQ(golden.Has("weights"), golden.model->config().cross.layers == 1);
    if (!golden.Has("weights")) return;
    const std::vector<double> exact = golden["weights"];
    ASSERT_EQ(weights.size(), exact.size());
    EXPECT_LE(Distance(weights, exact), 1e-6 * Norm(exact));
    EXPECT_EQ(golden.Has("centres"), !centres.empty());
    if (centres.empty()) return;
    const std::vector<double> places = golden["centres"];
    ASSERT_EQ(centres.size(), places.size());
    EXPECT_LE(Distance(centres, places), 1e-6 * Norm(places));
  });
}

std::vector<Hypothesis> Search(const RnnCase& golden, const std::vector<size_t>& pairs, size_t beam) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{.arena = arena, .pool = pool};
  std::vector<int32_t> ids, segment;
  Segments segments;
  for (const size_t i : pairs) {
    segment.push_back(static_cast<int32_t>(segments.size()));
    ids.insert(ids.end(), golden.source(i).begin(), golden.source(i).end());
    segments.Add(golden.source(i).size());
  }
  const auto encoder = golden.model->Encode(ids, segments);
  while (!encoder->Step(ctx)) arena.Rewind({});
  const SequenceConfig& config = golden.model->config();
  BeamSearch search(*golden.model, encoder->Start(ctx, segment), std::vector<size_t>(pairs.size(), 12),
                    {.beam = beam, .start = config.start, .end = config.end, .banned = {config.pad}});
  while (!search.Step(ctx)) arena.Rewind({});
  std::vector<Hypothesis> best;
  for (size_t s = 0; s < pairs.size(); ++s) {
    for (Hypothesis& each : search.Finished(s)) best.push_back(std::move(each));
  }
  return best;
}

double LogProb(const RnnCase& golden, size_t i, const std::vector<int32_t>& pieces) {
  Batch batch;
  batch.AddPair(golden.source(i), pieces, golden.model->config().start);
  Arena arena;
  ThreadPool pool(1);
  Context ctx{.arena = arena, .pool = pool};
  MatrixView log_probs =
      golden.model->Logits(ctx, View(golden.model->ForwardForTraining(ctx, batch.source, batch.source_segments,
                                                                      batch.target_in, batch.target_segments)));
  log_probs.col(golden.model->config().pad).setConstant(-INFINITY);
  LogSoftmax(log_probs);
  double sum = 0;
  for (size_t t = 0; t < pieces.size(); ++t) sum += log_probs(static_cast<Eigen::Index>(t), pieces[t]);
  return sum;
}

// The log-probability that a beam reports is that of the forced pass, whatever else was in the batch.
TEST(RnnSeq2Seq, BeamsKeepTheirStates) {
  ForEachRnnCase([](RnnCase& golden) {
    const std::vector<Hypothesis> together = Search(golden, {0, 1, 2, 3}, 3);
    std::vector<Hypothesis> alone;
    for (size_t i = 0; i < 4; ++i) {
      for (Hypothesis& each : Search(golden, {i}, 3)) alone.push_back(std::move(each));
    }
    ASSERT_EQ(together.size(), alone.size());
    for (size_t h = 0; h < alone.size(); ++h) {
      EXPECT_EQ(together[h].pieces, alone[h].pieces);
      EXPECT_EQ(together[h].log_prob, alone[h].log_prob);
    }
    for (const Hypothesis& each : Search(golden, {2}, 3)) {
      if (each.cut == Cut::kNone) EXPECT_NEAR(each.log_prob, LogProb(golden, 2, each.pieces), 1e-4);
    }
  });
}

TEST(RnnConfig, RefusesWhatItCannotRunAndNamesTheField) {
  constexpr const char* kBase =
      R"("model_type": "qkv-rnn", "vocab_size": 13, "d_model": 6, "encoder_layers": 1, "decoder_layers": 1,
         "max_position_embeddings": 16, "eos_token_id": 0, "pad_token_id": 12)";
  struct Refused {
    const char *more, *field;
  };
  constexpr Refused kRefused[] = {
      {"", "variant"},
      {R"("variant": "seq2seq")", "variant"},
      {R"("variant": 3)", "variant"},
      {R"("variant": "luong", "cell": "sru")", "cell"},
      {R"("variant": "luong", "score": "cosine")", "score"},
      {R"("variant": "luong", "score": "dot", "bidirectional": true)", "score"},
      {R"("variant": "luong", "window": "local")", "window"},
      {R"("variant": "luong", "window": "local-p", "half_width": 0)", "half_width"},
      {R"("variant": "luong", "window": "local-p", "half_width": 1e300)", "half_width"},
      {R"("variant": "luong", "half_width": "ten")", "half_width"},
      {R"("variant": "luong", "output_context": true)", "output_context"},
      {R"("variant": "luong", "context": "first")", "context"},
      {R"("variant": "plain", "score": "dot")", "score"},
      {R"("variant": "plain", "context": "last")", "context"},
      {R"("variant": "plain", "input_feeding": true)", "input_feeding"},
      {R"("variant": "bahdanau", "input_feeding": true)", "input_feeding"},
      {R"("variant": "bahdanau", "reverse_source": true)", "reverse_source"},
      {R"("variant": "plain", "d_embedding": 5)", "tie_word_embeddings"},
      {R"("variant": "plain", "d_embedding": -5)", "d_embedding"},
      {R"("variant": "plain", "self_attention_heads": 4)", "self_attention_heads"},
      {R"("variant": "plain", "self_attention_heads": 99999999)", "self_attention_heads"},
      {R"("variant": "plain", "dropout": 1)", "dropout"},
      {R"("variant": "plain", "decoder_start_token_id": 13)", "decoder_start_token_id"},
  };
  for (const Refused& each : kRefused) {
    const std::string text = std::string("{") + kBase + (*each.more != '\0' ? ", " : "") + each.more + "}";
    const Result<RnnConfig> config = ParseRnnConfig(text);
    ASSERT_FALSE(config) << each.more;
    EXPECT_NE(config.error().ToString().find(each.field), std::string::npos) << config.error().ToString();
  }
  for (const char* field : {"vocab_size", "d_model", "encoder_layers", "decoder_layers", "max_position_embeddings"}) {
    for (const char* value : {"0", "-1", "1e30", "99999999999", "\"6\"", "null"}) {
      rapidjson::Document json;
      json.Parse((std::string("{") + kBase + R"(, "variant": "plain"})").c_str());
      json[field].CopyFrom(rapidjson::Document().Parse(value), json.GetAllocator());
      EXPECT_FALSE(ParseRnnConfig(Text(json))) << field << value;
    }
  }
  rapidjson::Document one;
  one.Parse((std::string("{") + kBase + R"(, "variant": "plain"})").c_str());
  one["max_position_embeddings"].SetInt(1);  // a text has no piece besides </s>
  EXPECT_FALSE(ParseRnnConfig(Text(one)));
}

}  // namespace
}  // namespace qkv
