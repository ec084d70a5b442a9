// Memory that a text would need is refused before it is allocated, and the next call works.
#include "core/base/budget.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/encode/encode_job.h"
#include "core/generate/generate_job.h"
#include "core/load/folder.h"
#include "core/train/initialise.h"
#include "core/train/parameters.h"
#include "core/translate/alignment.h"
#include "core/translate/marian_folder.h"
#include "core/translate/replay.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

// Lowers the memory limit for as long as it lives.
class MemoryLimit {
 public:
  explicit MemoryLimit(uint64_t bytes) { SetMemoryLimit(bytes); }
  ~MemoryLimit() { SetMemoryLimit(std::numeric_limits<uint64_t>::max()); }
  MemoryLimit(const MemoryLimit&) = delete;
};

Result<void> OutcomeOf(Job& job) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  while (!job.Step(ctx)) continue;
  return job.outcome();
}

// Runs a job. Each step must find all its memory in the one block that it asked for: with a second block the arena
// could not give all its floats in one piece.
void ExpectAsksForAll(Job& job) {
  Arena arena;
  ThreadPool pool(2);
  Context ctx{arena, pool};
  bool done = false;
  for (size_t step = 0; !done; ++step) {
    done = job.Step(ctx);
    const size_t capacity = arena.capacity();
    if (capacity == 0) continue;  // nothing had to be computed
    arena.Floats(capacity / sizeof(float));
    arena.Rewind({});
    ASSERT_EQ(arena.capacity(), capacity) << "step " << step;
  }
  EXPECT_TRUE(job.outcome());
}

template <class Model>
std::unique_ptr<Model> Load(const std::string& folder) {
  Result<LoadedFolder> loaded = LoadAnyFolder("tests/goldens/one-sided/" + folder, ArriveAs::kStored);
  return loaded ? std::move(std::get<std::unique_ptr<Model>>(loaded->model)) : nullptr;
}

void ExpectRefused(const Result<void>& outcome, const std::string& asks) {
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(outcome.error().where, asks);
}

TEST(Budget, GrantsWhatTheMachineHas) {
  EXPECT_TRUE(CheckMemory(0, "", ""));
  EXPECT_TRUE(CheckMemory(1 << 20, "", ""));
  for (const uint64_t bytes : {uint64_t{1} << 50, std::numeric_limits<uint64_t>::max()}) {
    const Result<void> refused = CheckMemory(bytes, "ask for less", "who");
    ExpectRefused(refused, "who");
    EXPECT_NE(refused.error().message.find("ask for less"), std::string::npos);
  }
  const MemoryLimit little(1000);
  EXPECT_TRUE(CheckMemory(1000, "", ""));
  EXPECT_FALSE(CheckMemory(1001, "", ""));
}

const std::string kLong =
    "Where is the kitchen, and who has put 25 apples on the table of https://example.org/a?b=c before we came home?";

void ExpectTranslationsAskForAll(const TranslationModel& model, const std::string& what) {
  SCOPED_TRACE(what);
  for (const size_t beam : {1, 4, 64}) {
    for (const bool shortlist : {false, true}) {
      TranslationJob job(model, {kLong, "I love you.", kLong + " " + kLong}, {.beam = beam, .shortlist = shortlist});
      ExpectAsksForAll(job);
    }
  }
  for (const ReplayKind kind : {ReplayKind::kScore, ReplayKind::kTrace, ReplayKind::kVectors}) {
    ReplayJob replay(model, kLong, "We came home.", kind, {});
    ExpectAsksForAll(replay);
  }
  const Tokens source = model.Encode(kLong, Side::kSource);
  AlignmentJob alignment(model, source, model.Encode("We came home.", Side::kTarget).ids);
  ExpectAsksForAll(alignment);
}

TEST(Budget, NoStepOfATranslationTakesMoreThanItAskedFor) {
  for (const char* folder : kModels) ExpectTranslationsAskForAll(*SharedModel(folder), folder);
  ExpectTranslationsAskForAll(*SharedModel(kDefaultModel), kDefaultModel);
  for (const char* name : {"ssru-int8", "ssru-f16", "ssru-pre-norm", "self-attention-f32"}) {
    auto model = LoadMarianFolder(std::string("tests/goldens/marian/") + name);
    ASSERT_TRUE(model) << model.error().ToString();
    ExpectTranslationsAskForAll(**model, name);
  }
}

// Recurrent models of each kind, with weights of their own.
TEST(Budget, NoStepOfARecurrentModelTakesMoreThanItAskedFor) {
  const std::string folder = "tests/goldens/models/tiny-f16/";
  const std::string files[] = {ReadBytes(folder + "vocab.json"), ReadBytes(folder + "source.spm")};
  const std::string start =
      R"({"model_type":"qkv-rnn","d_model":48,"d_embedding":60,"vocab_size":86,)"
      R"("max_position_embeddings":64,"pad_token_id":85,"eos_token_id":0,"tie_word_embeddings":false,)";
  for (const char* choices :
       {R"("variant":"plain","cell":"lstm","encoder_layers":2,"decoder_layers":2})",
        R"("variant":"plain","cell":"gru","context":"first","encoder_layers":1,"decoder_layers":1})",
        R"("variant":"bahdanau","cell":"gru","bidirectional":true,"output_context":true,"encoder_layers":1,)"
        R"("decoder_layers":1})",
        R"("variant":"textbook","cell":"lstm","score":"additive","encoder_layers":3,"decoder_layers":3,)"
        R"("self_attention_heads":2})",
        R"("variant":"luong","cell":"gru","score":"general","window":"local-p","half_width":2,"input_feeding":true,)"
        R"("bidirectional":true,"encoder_layers":2,"decoder_layers":2})"}) {
    const std::string config = start + choices;
    const ModelFiles model_files = {.config = config,
                                    .generation_config = "{}",
                                    .vocabulary = files[0],
                                    .source_spm = {reinterpret_cast<const uint8_t*>(files[1].data()), files[1].size()},
                                    .target_spm = {}};
    auto model = TranslationModel::CreateUntrained(model_files);
    ASSERT_TRUE(model) << model.error().ToString();
    WeightSlots slots = (*model)->Slots();
    Parameters parameters(slots, /*gradients=*/false);
    Initialise(parameters, 7);
    ExpectTranslationsAskForAll(**model, choices);
  }
}

TEST(Budget, NoStepOfAModelOfOneTextTakesMoreThanItAskedFor) {
  for (const char* name : {"bert-masked", "bert-answer", "bert-sequence", "bert-tokens", "distilbert-masked",
                           "roberta-masked", "roberta-sequence"}) {
    SCOPED_TRACE(name);
    const auto model = Load<EncoderModel>(name);
    ASSERT_NE(model, nullptr);
    EncodeJob encode(*model, {{"The cat [MASK] on the mat."}, {"The cat."}, {"Where is it?", "It is there."}},
                     {.hidden = true, .head = true});
    ExpectAsksForAll(encode);
    EncodeJob trace(*model, {{"The cat sat on the mat."}}, {.trace = true});
    ExpectAsksForAll(trace);
  }
  for (const char* name : {"gpt2", "gpt2-untied"}) {
    SCOPED_TRACE(name);
    const auto model = Load<GeneratorModel>(name);
    ASSERT_NE(model, nullptr);
    GenerateJob generate(*model, "The cat sat on the mat.", {.max_length = 20, .alternatives = 3});
    ExpectAsksForAll(generate);
    GenerationTraceJob trace(*model, "The cat sat on the mat.", 3);
    ExpectAsksForAll(trace);
  }
}

// Whatever memory is left, a job is done with the same result or refused by name. Afterwards it is done.
TEST(Budget, AJobThatDoesNotFitIsRefused) {
  const TranslationModel* model = SharedModel(kDefaultModel);
  ASSERT_NE(model, nullptr);
  const auto run = [&](std::vector<ScoredText>* found) {
    TranslationJob job(*model, {kLong, "I love you."}, {.beam = 16, .n_best = 16});
    const Result<void> outcome = OutcomeOf(job);
    if (outcome) *found = job.results().front().n_best;
    return outcome;
  };
  std::vector<ScoredText> all;
  ASSERT_TRUE(run(&all));
  size_t refused = 0;
  for (uint64_t bytes = 1 << 10; bytes < (64 << 20); bytes *= 2) {
    std::vector<ScoredText> found;
    const MemoryLimit little(bytes);
    if (const Result<void> outcome = run(&found); !outcome) {
      ++refused;
      ExpectRefused(outcome, "translation");
      continue;
    }
    ASSERT_EQ(found.size(), all.size());
    for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(found[i].ids, all[i].ids);
  }
  EXPECT_GE(refused, 5u);
  EXPECT_LE(refused, 14u);
}

TEST(Budget, ATranslationsTraceThatDoesNotFitIsRefused) {
  const TranslationModel* model = SharedModel("tests/goldens/models/tiny-f16");
  ASSERT_NE(model, nullptr);
  const std::string text = "Where is the kitchen?";
  for (const ReplayKind kind : {ReplayKind::kTrace, ReplayKind::kVectors}) {
    ReplayJob whole(*model, text, text, kind, {});
    EXPECT_TRUE(OutcomeOf(whole));
    const MemoryLimit little(100);
    ReplayJob refused(*model, text, text, kind, {});
    ExpectRefused(OutcomeOf(refused), "trace");
    ReplayJob translated(*model, text, std::nullopt, kind, {});
    ExpectRefused(OutcomeOf(translated), "translation");
    ReplayJob score(*model, text, text, ReplayKind::kScore, {});
    ExpectRefused(OutcomeOf(score), "score");
    const Tokens tokens = model->Encode(text, Side::kSource);
    AlignmentJob alignment(*model, tokens, tokens.ids);
    ExpectRefused(OutcomeOf(alignment), "alignment");
  }
}

TEST(Budget, AnEncodersTraceAndMasksThatDoNotFitAreRefused) {
  const auto model = Load<EncoderModel>("bert-masked");
  ASSERT_NE(model, nullptr);
  const std::vector<EncodeInput> inputs = {{"The cat [MASK] on the mat."}};
  {
    const MemoryLimit little(100);
    EncodeJob traced(*model, inputs, {.trace = true});
    ExpectRefused(OutcomeOf(traced), "trace");
    EncodeJob hidden(*model, inputs, {.hidden = true});
    ExpectRefused(OutcomeOf(hidden), "encoding");
  }
  std::string hides;
  for (size_t i = 0; i + 2 < model->config().longest(); ++i) hides += "[MASK] ";
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  EncodeJob wanted(*model, {{hides}}, {.head = true});
  while (!wanted.Step(ctx)) continue;
  // Enough for what a layer leaves, but not for the logits as well.
  const MemoryLimit some(static_cast<uint64_t>(wanted.results().front().logits.size()) * sizeof(float));
  EncodeJob masks(*model, {{hides}}, {.head = true});
  while (!masks.Step(ctx)) continue;
  ExpectRefused(masks.outcome(), "masks");
}

TEST(Budget, AGeneratorsTraceThatDoesNotFitIsRefused) {
  const auto model = Load<GeneratorModel>("gpt2");
  ASSERT_NE(model, nullptr);
  const MemoryLimit little(100);
  GenerationTraceJob traced(*model, "The cat sleeps.", 3);
  ExpectRefused(OutcomeOf(traced), "trace");
  GenerateJob generated(*model, "The cat sleeps.", {});
  ExpectRefused(OutcomeOf(generated), "generation");
}

}  // namespace
}  // namespace qkv
