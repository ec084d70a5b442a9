// Drafts from repetitions: what they guess, and that a text with them is the text without them, to the bit.
#include "core/decode/prompt_lookup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/base/budget.h"
#include "core/base/random.h"
#include "core/explain/change_list.h"
#include "core/generate/generate_job.h"
#include "core/load/folder.h"
#include "core/train/initialise.h"
#include "core/train/parameters.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

using Ids = std::vector<int32_t>;

// Reads `text` piece by piece from its first `known` pieces on, and returns what is drafted behind it.
Ids Drafted(const Ids& text, size_t known, size_t most = PromptLookup::kLongest) {
  PromptLookup lookup;
  for (size_t size = known; size <= text.size(); ++size) lookup.Read(std::span(text).first(size));
  Ids longer = text;
  lookup.Draft(most, longer);
  EXPECT_TRUE(std::equal(text.begin(), text.end(), longer.begin()));
  return {longer.begin() + static_cast<std::ptrdiff_t>(text.size()), longer.end()};
}

TEST(PromptLookup, GuessesWhatFollowedTheLastPiecesBefore) {
  EXPECT_EQ(Drafted({}, 0), Ids());
  EXPECT_EQ(Drafted({1, 2, 3, 4, 5}, 5), Ids());
  EXPECT_EQ(Drafted({1, 2, 3, 4, 5, 6, 1, 2, 3}, 9), (Ids{4}));
  EXPECT_EQ(Drafted({1, 2, 3, 4, 5, 6, 1, 2, 3}, 9, 0), Ids());
  // The latest occurrence of three pieces, before a later one of two.
  EXPECT_EQ(Drafted({7, 1, 2, 8, 9, 7, 1, 2, 5, 6, 3, 1, 2, 4, 0, 7, 1, 2}, 18), (Ids{5}));
  EXPECT_EQ(Drafted({7, 1, 2, 8, 9, 3, 1, 2}, 8), (Ids{8}));
}

TEST(PromptLookup, DraftsMoreAsGuessesAreRightAndAPhraseSeveralTimes) {
  EXPECT_EQ(Drafted({1, 2, 3, 1, 2, 3}, 5), (Ids{1, 2}));
  EXPECT_EQ(Drafted({1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3}, 7), (Ids{4, 1, 2, 3, 4}));
  EXPECT_EQ(Drafted({1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3}, 7, 2), (Ids{4, 1}));
  const Ids many = Drafted(Ids(40, 7), 3);
  EXPECT_EQ(many, Ids(PromptLookup::kLongest, 7));
}

// Pairs recur all the time, and never with the same piece behind them.
TEST(PromptLookup, StopsWhereGuessesAreWrong) {
  PromptLookup lookup;
  Ids text = {1, 2};
  size_t drafted = 0;
  for (int32_t piece = 10; piece < 400; ++piece) {
    for (const int32_t next : {piece, 1, 2}) {
      text.push_back(next);
      lookup.Read(text);
    }
    const size_t known = text.size();
    lookup.Draft(15, text);
    drafted += text.size() - known;
    text.resize(known);
  }
  EXPECT_LE(drafted, 6u);
  // Repetitions bring it back.
  Ids longer = text;
  for (size_t i = 0; i < 30; ++i) {
    text.push_back(longer[i]);
    lookup.Read(text);
  }
  lookup.Draft(15, text);
  EXPECT_EQ(text.size(), longer.size() + 45);
}

// A GPT-2 of random weights, with the tokenizer of a golden model. `end`: the piece that ends a text.
std::unique_ptr<GeneratorModel> RandomModel(uint64_t seed, int32_t end, size_t vocabulary = 407) {
  const std::string config = R"({"model_type": "gpt2", "n_embd": 12, "n_layer": 2, "n_head": 3, "n_positions": 96,
                                 "bos_token_id": 406, "eos_token_id": )" +
                             std::to_string(end) + R"(, "vocab_size": )" + std::to_string(vocabulary) + "}";
  auto model = GeneratorModel::Create(
      {{"config.json", config}, {"tokenizer.json", ReadBytes("tests/goldens/one-sided/gpt2/tokenizer.json")}});
  if (!model) {
    ADD_FAILURE() << model.error().ToString();
    std::abort();
  }
  WeightSlots slots = (*model)->Slots();
  ReserveFloats(slots);
  Parameters parameters(slots, /*gradients=*/false);
  Initialise(parameters, seed);
  return std::move(*model);
}

// All that can be seen of a job: what it shows after each step, and its pieces with every number.
struct Seen {
  std::vector<std::string> texts;
  Ids ids;
  std::vector<float> numbers;
  GenerateJob::End end = GenerateJob::End::kNone;
  bool failed = false;
  bool operator==(const Seen&) const = default;
};

void Look(const GenerateJob& job, Seen& seen) {
  seen.ids.clear();
  seen.numbers.clear();
  for (const WrittenPiece& piece : job.pieces()) {
    seen.ids.push_back(piece.id);
    seen.numbers.push_back(piece.log_prob);
    for (const Guess& guess : piece.alternatives) seen.numbers.push_back(guess.log_prob);
  }
  seen.end = job.end();
  seen.failed = !job.outcome();
}

struct Outcome {
  Seen seen;
  DraftCounts drafts;
};

Outcome Generated(const GeneratorModel& model, const std::string& prompt, GenerateOptions options, bool lookup,
                  size_t threads = 1) {
  Arena arena;
  ThreadPool pool(threads);
  Context ctx{arena, pool};
  options.prompt_lookup = lookup;
  GenerateJob job(model, prompt, options);
  Outcome run;
  for (bool done = false; !done;) {
    done = job.Step(ctx);
    run.seen.texts.push_back(job.text());
  }
  Look(job, run.seen);
  run.drafts = job.drafts();
  return run;
}

// The run with drafts, after it was compared with the one without.
Outcome ExpectTheSame(const GeneratorModel& model, const std::string& prompt, const GenerateOptions& options,
                      size_t threads = 1) {
  const Outcome with = Generated(model, prompt, options, true, threads),
                without = Generated(model, prompt, options, false);
  EXPECT_TRUE(with.seen == without.seen) << prompt << "\n"
                                         << with.seen.texts.back() << "\n"
                                         << without.seen.texts.back();
  EXPECT_EQ(without.drafts.drafted, 0u);
  return with;
}

constexpr const char* kPrompts[] = {"", "The cat", "The cat sat on the mat. The cat sat on the mat. The cat",
                                    "a b c d a b c d a b", "one two one three one two one"};

TEST(GenerateWithDrafts, IsTheSameToTheBitForManyModels) {
  size_t drafted = 0, accepted = 0, ends[4] = {};
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed, 9);
    const auto below = [&](size_t count) { return static_cast<size_t>(random.Next() % count); };
    // Ends of a text among frequent pieces, so that drafts hold them.
    const auto model = RandomModel(seed, seed % 3 == 0 ? 406 : static_cast<int32_t>(below(100)));
    for (const char* prompt : kPrompts) {
      GenerateOptions options;
      constexpr float kTemperatures[] = {0, 0, 0.05f, 0.6f}, kPenalties[] = {1, 1, 1.05f, 1.4f};
      options.sampling = {.temperature = kTemperatures[below(4)],
                          .top_k = below(2) * 5,
                          .top_p = below(2) == 0 ? 1.0f : 0.9f,
                          .repetition_penalty = kPenalties[below(4)],
                          .seed = seed};
      options.max_length = 1 + below(120);
      options.alternatives = below(3);
      if (below(3) == 0) options.stops = {"e", "at"};
      const Outcome run = ExpectTheSame(*model, prompt, options, 1 + seed % 2);
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
      drafted += run.drafts.drafted;
      accepted += run.drafts.accepted;
      if (run.drafts.drafted != 0) ++ends[static_cast<size_t>(run.seen.end)];
    }
  }
  // Drafts were accepted, and others were not; texts with drafts ended in each way.
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(drafted - accepted, 300u);
  for (size_t end = 1; end < 4; ++end) EXPECT_GT(ends[end], 2u) << end;
}

constexpr uint64_t kRepeats = 18;  // the seed of a model that repeats itself

// Wherever a text ends, it does so in some draft of a longer text.
TEST(GenerateWithDrafts, EndsWhereATextEndsWithoutThem) {
  const auto model = RandomModel(kRepeats, 406);
  const Outcome whole = ExpectTheSame(*model, kPrompts[2], {.max_length = 60});
  ASSERT_GT(whole.drafts.accepted, 20u);
  // At each length.
  for (size_t most = 1; most < 60; ++most) {
    const Outcome cut = ExpectTheSame(*model, kPrompts[2], {.max_length = most});
    ASSERT_EQ(cut.seen.ids, Ids(whole.seen.ids.begin(), whole.seen.ids.begin() + static_cast<std::ptrdiff_t>(most)));
  }
  // At each piece as the end, and before each piece's text as a stop.
  for (const int32_t id : whole.seen.ids) {
    const auto ends = RandomModel(kRepeats, id);
    const Outcome cut = ExpectTheSame(*ends, kPrompts[2], {.max_length = 60});
    EXPECT_EQ(cut.seen.end, GenerateJob::End::kPiece);
    EXPECT_EQ(cut.seen.ids.back(), id);
    ExpectTheSame(*model, kPrompts[2], {.max_length = 60, .stops = {std::string(model->PieceText(id))}});
  }
}

TEST(GenerateWithDrafts, EndsAtTheLastPosition) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const auto model = RandomModel(seed, 406);
    for (const char* prompt : kPrompts) {
      const Outcome run = ExpectTheSame(*model, prompt, {.max_length = 100000});
      const size_t read = std::max<size_t>(model->tokenizer().Pieces(prompt).size(), 1);
      EXPECT_LE(run.seen.ids.size(), model->config().positions - read + 1);
    }
  }
}

// Jobs that take turns in one context, and one that is given up in the middle of a draft.
TEST(GenerateWithDrafts, JobsInTurnsAndOnesThatAreGivenUp) {
  const auto model = RandomModel(kRepeats, 406);
  Arena arena;
  ThreadPool pool(2);
  Context ctx{arena, pool};
  std::vector<std::unique_ptr<GenerateJob>> jobs;
  for (const char* prompt : kPrompts) {
    jobs.push_back(std::make_unique<GenerateJob>(*model, prompt, GenerateOptions{.max_length = 50}));
  }
  GenerateJob abandoned(*model, kPrompts[2], {.max_length = 50});
  for (size_t step = 0; step < 30; ++step) abandoned.Step(ctx);
  for (bool done = false; !done;) {
    done = true;
    for (const auto& job : jobs) done &= job->Step(ctx);
  }
  for (size_t i = 0; i < jobs.size(); ++i) {
    Seen seen;
    Look(*jobs[i], seen);
    seen.texts = Generated(*model, kPrompts[i], {.max_length = 50}, false).seen.texts;
    EXPECT_TRUE(seen == Generated(*model, kPrompts[i], {.max_length = 50}, false).seen) << i;
  }
}

// A change may name the place of a query in its pass, so there are no drafts with changes.
TEST(GenerateWithDrafts, ChangesToTheForwardKeepTheirMeaning) {
  const auto model = RandomModel(kRepeats, 406);
  const auto list = ParseChanges(R"([{"kind": "uniform", "attention": "decoder", "layer": 0, "head": 1}])",
                                 ChangeablePlaces::OfDecoder(2, 3));
  ASSERT_TRUE(list) << list.error().ToString();
  const Outcome run = ExpectTheSame(*model, kPrompts[2], {.max_length = 50, .changes = list.value()});
  EXPECT_EQ(run.drafts.drafted, 0u);
}

class MemoryLimit {
 public:
  explicit MemoryLimit(uint64_t bytes) { SetMemoryLimit(bytes); }
  ~MemoryLimit() { SetMemoryLimit(std::numeric_limits<uint64_t>::max()); }
  MemoryLimit(const MemoryLimit&) = delete;
};

// Where the memory suffices without a draft, the text is written without it.
TEST(GenerateWithDrafts, NeedsNoMemoryThatIsNotThere) {
  const auto model = RandomModel(kRepeats, 406, 20000);  // so many logits that a draft needs a larger arena
  const Outcome whole = ExpectTheSame(*model, kPrompts[2], {.max_length = 60});
  size_t refused = 0, fewer = 0;
  for (uint64_t bytes = 1 << 12; bytes < (4 << 20); bytes += bytes / 16) {
    const MemoryLimit little(bytes);
    const Outcome run = ExpectTheSame(*model, kPrompts[2], {.max_length = 60});
    refused += run.seen.failed;
    if (!run.seen.failed) fewer += run.drafts.drafted < whole.drafts.drafted;
  }
  EXPECT_GT(refused, 3u);
  EXPECT_GT(fewer, 0u);
}

TEST(GenerateWithDrafts, IsTheSameForAModelOfEnglish) {
  for (const ArriveAs arrive : {ArriveAs::kStored, ArriveAs::kInt8}) {
    auto loaded = LoadAnyFolder("web/models/english/everyday", arrive);
    ASSERT_TRUE(loaded) << loaded.error().ToString();
    const auto& model = *std::get<std::unique_ptr<GeneratorModel>>(loaded->model);
    size_t accepted = 0;
    for (const char* prompt : {"Tom", "I have a red car. I have a red", "She said that she", "one two three one two"}) {
      for (const float temperature : {0.0f, 0.7f}) {
        const Outcome run = ExpectTheSame(
            model, prompt, {.sampling = {.temperature = temperature, .seed = 3}, .max_length = 100, .alternatives = 2});
        accepted += run.drafts.accepted;
      }
    }
    EXPECT_GT(accepted, 0u);
  }
}

}  // namespace
}  // namespace qkv
