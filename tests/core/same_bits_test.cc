// An int8 model of any kind translates to the same bits on every target.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/translate/folder.h"
#include "core/translate/replay.h"
#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

Replay Traced(const TranslationModel& model, const std::string& source) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{.arena = arena, .pool = pool};
  ReplayJob job(model, source, std::nullopt, ReplayKind::kTrace, {.beam = 2});
  while (!job.Step(ctx)) {
  }
  return job.result();
}

class EveryTarget : public testing::TestWithParam<const char*> {};

TEST_P(EveryTarget, GivesTheSameBits) {
  auto model = LoadFolder(std::string("web/models/") + GetParam());
  ASSERT_TRUE(model) << model.error().ToString();
  for (const char* source : {"My brother lives in a big white house.", "I lost my keys. Did you see them?"}) {
    std::vector<Replay> replays;
    ForEachTarget([&] { replays.push_back(Traced(**model, source)); });
    for (const Replay& each : replays) {
      EXPECT_EQ(each.target.text, replays[0].target.text);
      EXPECT_EQ(each.log_probs, replays[0].log_probs);
      EXPECT_EQ(each.cross.weights, replays[0].cross.weights);
      EXPECT_EQ(each.encoder_self.weights, replays[0].encoder_self.weights);
      EXPECT_EQ(each.centres, replays[0].centres);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryTarget,
                         testing::Values("en-fr", "compared/plain", "compared/bahdanau", "compared/luong-dot",
                                         "compared/luong-general", "compared/luong-local", "compared/transformer"));

}  // namespace
}  // namespace qkv
