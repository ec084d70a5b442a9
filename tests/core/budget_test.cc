// What a text may make the engine allocate is refused before it is allocated, and the next call works.
#include "core/base/budget.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/encode/encode_job.h"
#include "core/generate/generate_job.h"
#include "core/load/folder.h"
#include "core/translate/replay.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

// Less memory, as long as it lives.
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
    ExpectRefused(OutcomeOf(translated), "trace");
    ReplayJob score(*model, text, text, ReplayKind::kScore, {});
    EXPECT_TRUE(OutcomeOf(score));
    EXPECT_EQ(score.result().log_prob, whole.result().log_prob);
  }
}

TEST(Budget, AnEncodersTraceAndMasksThatDoNotFitAreRefused) {
  const auto model = Load<EncoderModel>("bert-masked");
  ASSERT_NE(model, nullptr);
  const std::vector<EncodeInput> inputs = {{"The cat [MASK] on the mat."}};
  const MemoryLimit little(100);
  EncodeJob traced(*model, inputs, {.trace = true});
  ExpectRefused(OutcomeOf(traced), "trace");
  EncodeJob masks(*model, inputs, {.head = true});
  ExpectRefused(OutcomeOf(masks), "masks");
  EncodeJob hidden(*model, inputs, {.hidden = true});
  EXPECT_TRUE(OutcomeOf(hidden));
}

TEST(Budget, AGeneratorsTraceThatDoesNotFitIsRefused) {
  const auto model = Load<GeneratorModel>("gpt2");
  ASSERT_NE(model, nullptr);
  const MemoryLimit little(100);
  GenerationTraceJob traced(*model, "The cat sleeps.", 3);
  ExpectRefused(OutcomeOf(traced), "trace");
}

}  // namespace
}  // namespace qkv
