// A model folder with a shortlist: its translations use listed pieces only, and the shortlist can be switched off.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "core/translate/replay.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTexts[] = {"Where is the kitchen?", "I love you.", "He is a teacher.", "It was very cold."};

// A copy of a model folder, with this shortlist.
class ShortlistFolder {
 public:
  ShortlistFolder(const std::string& from, const std::vector<uint8_t>& shortlist)
      : path_(fs::path(testing::TempDir()) / ("qkv-shortlist-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
    for (const char* name : {"config.json", "generation_config.json", "vocab.json", "target_vocab.json", "source.spm",
                             "target.spm", "model.safetensors"}) {
      if (fs::exists(fs::path(from) / name)) {
        fs::copy_file(fs::path(from) / name, path_ / name, fs::copy_options::overwrite_existing);
      }
    }
    std::ofstream(path_ / "shortlist.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(shortlist.data()), static_cast<std::streamsize>(shortlist.size()));
  }
  ~ShortlistFolder() { fs::remove_all(path_); }
  ShortlistFolder(const ShortlistFolder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

// A list for </s> only: the same for every sentence.
std::vector<uint8_t> Always(const SequenceConfig& config, std::vector<int32_t> pieces) {
  ShortlistContent content{0, 0, std::vector<std::vector<int32_t>>(config.source_vocabulary)};
  content.lists.back() = {config.end};
  content.lists[static_cast<size_t>(config.end)] = std::move(pieces);
  return WriteShortlist(content);
}

std::vector<Translation> Translate(const TranslationModel& model, DecodeOptions options) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  TranslationJob job(model, {std::begin(kTexts), std::end(kTexts)}, std::move(options));
  while (!job.Step(ctx)) continue;
  return job.results();
}

std::vector<std::vector<int32_t>> IdsOf(const std::vector<Translation>& translations) {
  std::vector<std::vector<int32_t>> ids;
  ids.reserve(translations.size());
  for (const Translation& translation : translations) ids.push_back(translation.ids);
  return ids;
}

class WithShortlist : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, WithShortlist, testing::ValuesIn(kModels));

TEST_P(WithShortlist, TranslationsAreMadeOfItsPieces) {
  const TranslationModel* model = SharedModel(GetParam());
  ASSERT_NE(model, nullptr);
  const SequenceConfig& config = model->config();
  std::vector<int32_t> listed;
  for (int32_t id = 3; id < static_cast<int32_t>(config.vocabulary); id += 7) listed.push_back(id);
  const ShortlistFolder folder(GetParam(), Always(config, listed));
  auto loaded = LoadFolder(folder.path());
  ASSERT_TRUE(loaded) << loaded.error().ToString();
  const TranslationModel& listing = **loaded;
  EXPECT_TRUE(listing.has_shortlist());
  EXPECT_FALSE(model->has_shortlist());

  for (const size_t beam : {1, 3}) {
    const DecodeOptions options{.beam = beam, .n_best = beam, .prefix = {static_cast<int32_t>(4)}};
    const std::vector<Translation> translations = Translate(listing, options);
    for (size_t i = 0; i < translations.size(); ++i) {
      const Tokens source = listing.Encode(kTexts[i], Side::kSource);
      const std::vector<int32_t> candidates = listing.Candidates(source, options.prefix);
      EXPECT_TRUE(std::is_sorted(candidates.begin(), candidates.end()));
      EXPECT_EQ(std::adjacent_find(candidates.begin(), candidates.end()), candidates.end());
      for (const int32_t piece : listed) EXPECT_TRUE(std::binary_search(candidates.begin(), candidates.end(), piece));
      for (const int32_t piece : {config.end, 4})
        EXPECT_TRUE(std::binary_search(candidates.begin(), candidates.end(), piece));
      EXPECT_LE(candidates.size(), listed.size() + source.ids.size() + 1);
      for (const ScoredText& hypothesis : translations[i].n_best) {
        EXPECT_EQ(hypothesis.ids.front(), 4);
        for (const int32_t id : hypothesis.ids) {
          EXPECT_TRUE(std::binary_search(candidates.begin(), candidates.end(), id)) << id;
        }
      }
    }
    // When it is switched off, the result is that of a folder without it.
    DecodeOptions without = options;
    without.shortlist = false;
    EXPECT_EQ(IdsOf(Translate(listing, without)), IdsOf(Translate(*model, options)));
  }
}

TEST_P(WithShortlist, OneOfAllPiecesChangesNothing) {
  const TranslationModel* model = SharedModel(GetParam());
  ASSERT_NE(model, nullptr);
  std::vector<int32_t> all(model->config().vocabulary);
  std::iota(all.begin(), all.end(), 0);
  const ShortlistFolder folder(GetParam(), Always(model->config(), all));
  auto loaded = LoadFolder(folder.path());
  ASSERT_TRUE(loaded) << loaded.error().ToString();
  const std::vector<Translation> listed = Translate(**loaded, {}), plain = Translate(*model, {});
  EXPECT_EQ(IdsOf(listed), IdsOf(plain));
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(listed[i].log_prob, plain[i].log_prob, 1e-4f);
}

TEST_P(WithShortlist, ReplaysUseTheWholeVocabulary) {
  const TranslationModel* model = SharedModel(GetParam());
  ASSERT_NE(model, nullptr);
  const ShortlistFolder folder(GetParam(), Always(model->config(), {model->config().end}));
  auto loaded = LoadFolder(folder.path());
  ASSERT_TRUE(loaded) << loaded.error().ToString();
  const auto score = [](const TranslationModel& by) {
    Arena arena;
    ThreadPool pool(1);
    Context ctx{arena, pool};
    ReplayJob job(by, kTexts[0], kTexts[1], ReplayKind::kScore, {});
    while (!job.Step(ctx)) continue;
    return job.result().log_probs;
  };
  EXPECT_EQ(score(**loaded), score(*model));
}

TEST(ShortlistFile, DamagedIsAnErrorThatNamesItUnlessItIsNotWanted) {
  const std::string tiny = kModels[1];
  const TranslationModel* model = SharedModel(tiny);
  ASSERT_NE(model, nullptr);
  const std::vector<uint8_t> good = Always(model->config(), {model->config().end});
  for (const std::vector<uint8_t>& bytes :
       {std::vector<uint8_t>(), std::vector<uint8_t>(good.begin(), good.end() - 4),
        Always({.source_vocabulary = model->config().source_vocabulary + 1, .end = model->config().end}, {0})}) {
    const ShortlistFolder folder(tiny, bytes);
    auto loaded = LoadFolder(folder.path());
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::kInvalidFile);
    EXPECT_NE(loaded.error().where.find("shortlist.bin"), std::string::npos) << loaded.error().ToString();
    auto without = LoadFolder(folder.path(), false);
    ASSERT_TRUE(without);
    EXPECT_FALSE((*without)->has_shortlist());
  }
}

}  // namespace
}  // namespace qkv
