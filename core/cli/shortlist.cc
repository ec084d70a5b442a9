// qkv shortlist: learns from pairs of sentences which pieces translate which.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/cli/command.h"
#include "core/cli/lines.h"
#include "core/cli/progress.h"
#include "core/io/files.h"
#include "core/train/learn_shortlist.h"
#include "core/train/rank_heads.h"
#include "core/translate/replay.h"

namespace qkv::cli {
namespace {

constexpr size_t kPairsAtOnce = 4096;
constexpr size_t kPairsChecked = 10000;
constexpr size_t kMostHeads = 4;
// Improbable entries are dropped from the table; they are never among the best. So the table stays small for any number
// of pairs.
constexpr Model1Options kTable{.least = 1e-6f, .most = 2000};

struct ShortlistFlags {
  Common common;
  std::string pairs = "-", output;
  ShortlistSize size;
  size_t iterations = 5;
  size_t ranking_pairs = 0;  // the number of pairs for ranking heads; 0: no ranking
};

// Both sides of a line as pieces, without </s>.
struct Pair {
  std::vector<int32_t> source, target;
};

Pair Tokenize(const TranslationModel& model, std::string_view line) {
  const size_t tab = line.find('\t');
  Pair pair{model.Encode(line.substr(0, tab), Side::kSource).ids,
            model.Encode(line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1), Side::kTarget).ids};
  pair.source.pop_back();
  pair.target.pop_back();
  return pair;
}

SentencePairs ReadPairs(const TranslationModel& model, const std::string& path, ThreadPool& pool) {
  // A pipe is refused by name: its length is not known, and --pairs - reads it.
  const bool is_input = path == "-";
  const std::string name = is_input ? "standard input" : path;
  const int file = is_input ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) Fail(path + " cannot be read: " + std::strerror(errno));
  struct stat status{};
  if (!is_input && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
    Fail(path + ": is not a regular file; to read a pipe use --pairs -");
  }
  // Cuts some thousand lines at a time into pieces, by all threads.
  SentencePairs pairs;
  Progress progress("pairs", is_input && isatty(STDIN_FILENO));
  LineReader reader(file, name);
  std::vector<Pair> tokenized;
  for (auto lines = reader.Next(kPairsAtOnce); !lines.empty(); lines = reader.Next(kPairsAtOnce)) {
    for (size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find('\t') != std::string::npos) continue;
      Fail(name + ", line " + std::to_string(pairs.size() + i + 1) + ": SOURCE<TAB>TARGET was expected");
    }
    tokenized.resize(lines.size());
    pool.For(lines.size(), 16, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) tokenized[i] = Tokenize(model, lines[i]);
    });
    for (const Pair& pair : tokenized) pairs.Add(pair.source, pair.target);
    progress.Show(pairs.size());
  }
  if (!is_input) close(file);
  if (pairs.source_words() == 0 || pairs.target_words() == 0) Fail(name + " has no pairs");
  return pairs;
}

// Prints how many of the targets the lists allow, and how many pieces they contain.
void Report(const Shortlist& shortlist, const SentencePairs& pairs, int32_t end, size_t vocabulary) {
  // Some pairs, evenly spread over all of them.
  size_t checked = 0, listed = 0, places = 0, found = 0, whole = 0;
  for (size_t i = 0; i < std::min(kPairsChecked, pairs.size()); ++i) {
    const size_t pair = i * pairs.size() / std::min(kPairsChecked, pairs.size());
    std::vector<int32_t> source(pairs.Source(pair).begin(), pairs.Source(pair).end());
    source.push_back(end);
    const std::vector<int32_t> pieces = shortlist.Pieces(source, source);
    size_t missing = 0;
    for (const int32_t piece : pairs.Target(pair)) {
      missing += std::binary_search(pieces.begin(), pieces.end(), piece) ? 0 : 1;
    }
    ++checked;
    listed += pieces.size();
    places += pairs.Target(pair).size();
    found += pairs.Target(pair).size() - missing;
    whole += missing == 0 ? 1 : 0;
  }
  const auto share = [](size_t part, size_t all) { return 100 * static_cast<double>(part) / static_cast<double>(all); };
  std::printf("list         %.0f of %zu pieces for a sentence, on average\n",
              static_cast<double>(listed) / static_cast<double>(checked), vocabulary);
  std::printf("coverage     %.2f %% of the targets' pieces; %.1f %% of the targets whole\n", share(found, places),
              share(whole, checked));
}

Model1 LearnTable(const SentencePairs& pairs, size_t vocabulary, size_t iterations, ThreadPool& pool) {
  Model1 table(pairs, vocabulary, vocabulary, kTable);
  Progress progress("iterations", false);
  for (size_t i = 0; i < iterations; ++i) {
    table.Iterate(pool);
    progress.Show(i + 1);
  }
  return table;
}

SentencePairs Turned(const SentencePairs& pairs) {
  SentencePairs turned;
  for (size_t i = 0; i < pairs.size(); ++i) turned.Add(pairs.Target(i), pairs.Source(i));
  return turned;
}

// Ranks the alignment heads on some pairs. Their texts are not kept, so they are encoded from pieces.
void RankHeads(const ShortlistFlags& options, const TranslationModel& model, const SentencePairs& pairs,
               const Model1& onward, ThreadPool& pool) {
  // The table of the other direction, since a link needs both.
  const SentencePairs turned = Turned(pairs);
  const Model1 back = LearnTable(turned, model.config().vocabulary, options.iterations, pool);
  Arena arena;
  Context ctx{arena, pool};
  HeadRanking ranking;
  const size_t ranking_pairs = std::min(options.ranking_pairs, pairs.size());
  Progress progress("pairs judged", false);
  // Traces some pairs, evenly spread, and compares their attention with their links.
  for (size_t i = 0; i < ranking_pairs; ++i) {
    const size_t pair = i * pairs.size() / ranking_pairs;
    const std::span<const int32_t> source = pairs.Source(pair), target = pairs.Target(pair);
    if (source.empty() || target.empty()) continue;
    ReplayJob job(model, model.Decode(source), model.Decode(target), ReplayKind::kTrace, {});
    Finish(job, ctx);
    const Replay& replay = job.result();
    std::vector<int32_t> read = replay.source.tokens.ids, written = replay.target.tokens.ids;
    read.pop_back();
    written.pop_back();
    ranking.Add(replay.cross, LinkPieces(read, written, onward, back));
    progress.Show(i + 1);
  }
  // Prints each head, the best first, then the heads that help each other.
  std::vector<HeadRanking::Head> heads = ranking.Heads();
  const auto agreement = [&](const HeadRanking::Head& head) { return ranking.Agreement({&head, 1}); };
  std::stable_sort(heads.begin(), heads.end(),
                   [&](const auto& a, const auto& b) { return agreement(a) > agreement(b); });
  std::printf("links        %zu in %zu pairs\n", ranking.links(), ranking_pairs);
  for (const auto& head : heads) {
    std::printf("head         layer %zu, head %zu: %.1f %%\n", head.first, head.second, 100 * agreement(head));
  }
  const std::vector<HeadRanking::Head> chosen = ranking.Choose(kMostHeads);
  std::printf("chosen       \"alignment_heads\": [");
  for (size_t i = 0; i < chosen.size(); ++i) {
    std::printf("%s[%zu, %zu]", i == 0 ? "" : ", ", chosen[i].first, chosen[i].second);
  }
  std::printf("]: %.1f %%\n", 100 * ranking.Agreement(chosen));
}

void Learn(const ShortlistFlags& options) {
  const std::unique_ptr<TranslationModel> model = LoadOrFail(options.common.model, false);
  const size_t vocabulary = model->config().vocabulary;
  const int32_t end = model->config().end;
  // an output that cannot be written is reported before the work
  WholeFile output = OrFail(WholeFile::Create(options.output));
  ThreadPool pool(options.common.threads);
  const SentencePairs pairs = ReadPairs(*model, options.pairs, pool);
  const Model1 table = LearnTable(pairs, vocabulary, options.iterations, pool);
  const std::vector<uint8_t> file =
      WriteShortlist(LearnShortlist(table, pairs, vocabulary, vocabulary, end, options.size));
  const Shortlist shortlist = OrFail(Shortlist::Parse(file, vocabulary, vocabulary, options.output));
  CheckOrFail(output.Write({reinterpret_cast<const char*>(file.data()), file.size()}));
  CheckOrFail(output.Commit());
  std::printf("pairs        %zu\n", pairs.size());
  Report(shortlist, pairs, end, vocabulary);
  std::printf("%-12s %zu bytes\n", "file", file.size());
  if (options.ranking_pairs > 0) RankHeads(options, *model, pairs, table, pool);
}

}  // namespace

void AddShortlist(CLI::App& app) {
  auto options = std::make_shared<ShortlistFlags>();
  CLI::App* command = app.add_subcommand(
      "shortlist", "Learn which pieces translate which, from SOURCE<TAB>TARGET lines: a model folder's shortlist.bin");
  // Files.
  AddModel(*command, options->common);
  command->add_option("--pairs", options->pairs, "pairs of sentences, SOURCE<TAB>TARGET; - is standard input")
      ->check(NotEmpty())
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "where to write; a folder's own is FOLDER/shortlist.bin")
      ->required()
      ->check(NotEmpty())
      ->type_name("FILE");
  // The content of the list.
  command->add_option("--first", options->size.first, "frequent pieces that every translation may use")
      ->check(CLI::Range(size_t{0}, size_t{1} << 20))
      ->capture_default_str();
  command->add_option("--best", options->size.best, "likeliest pieces of each source piece")
      ->check(CLI::Range(size_t{1}, size_t{1} << 20))
      ->capture_default_str();
  command
      ->add_option("--least", options->size.least, "leave out pieces less likely than this, so that the file is small")
      ->check(CLI::Range(0.0f, 1.0f))
      ->capture_default_str();
  command->add_option("--iterations", options->iterations, "of IBM model 1")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command
      ->add_option(
          "--rank-heads", options->ranking_pairs,
          "also rank the cross-attention heads, by how often their largest weight in so many of the pairs is on "
          "the piece that the table links, and choose some for generation_config.json")
      ->expected(0, 1)
      ->default_str("1000")
      ->check(CLI::Range(1, 1000000));
  AddThreads(*command, options->common);
  command->callback([options] { Learn(*options); });
}

}  // namespace qkv::cli
