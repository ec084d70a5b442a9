// How well cross attention, and what each word of a translation needed (leave-one-out), agree with the links of IBM
// model 1, and with each other. A line of JSON. web/docs/interventions.md has the results.
//
//   claim_needed MODEL TRAIN.tsv DEV.tsv COUNT
//
// TRAIN and DEV have SOURCE<TAB>TARGET lines; the tables are learnt from TRAIN, and the first COUNT lines of DEV are
// judged with their own targets.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "core/explain/explain_job.h"
#include "core/train/rank_heads.h"
#include "core/translate/folder.h"

namespace qkv {
namespace {

constexpr Model1Options kTable{.least = 1e-6f, .most = 2000};
constexpr size_t kIterations = 5;

struct Line {
  std::string source, target;
};

std::vector<Line> ReadLines(const char* path, size_t most) {
  std::ifstream file(path);
  std::vector<Line> lines;
  for (std::string line; lines.size() < most && std::getline(file, line);) {
    const size_t tab = line.find('\t');
    if (tab == std::string::npos) continue;
    lines.push_back({line.substr(0, tab), line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1)});
  }
  return lines;
}

std::vector<int32_t> Pieces(const TranslationModel& model, const std::string& text, Side side) {
  std::vector<int32_t> ids = model.Encode(text, side).ids;
  ids.pop_back();  // </s>
  return ids;
}

Model1 Learn(const SentencePairs& pairs, size_t vocabulary, ThreadPool& pool) {
  Model1 table(pairs, vocabulary, vocabulary, kTable);
  for (size_t i = 0; i < kIterations; ++i) table.Iterate(pool);
  return table;
}

// The rank of each value, from 0; equal values share the mean of theirs.
std::vector<double> Ranks(const float* values, size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(count);
  for (size_t i = 0; i < count;) {
    size_t end = i;
    while (end < count && values[order[end]] == values[order[i]]) ++end;
    for (size_t k = i; k < end; ++k) ranks[order[k]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

// Spearman's rank correlation; 0 where either has equal values alone.
double RankCorrelation(const float* a, const float* b, size_t count) {
  const std::vector<double> x = Ranks(a, count), y = Ranks(b, count);
  const double mean = static_cast<double>(count - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < count; ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

int Measure(const char* folder, const char* train, const char* dev, size_t count) {
  auto loaded = LoadFolder(folder);
  if (!loaded) return std::fprintf(stderr, "%s\n", loaded.error().ToString().c_str()), 1;
  const TranslationModel& model = **loaded;
  ThreadPool pool(2);
  Arena arena;
  Context ctx{arena, pool};
  SentencePairs pairs, turned;
  for (const Line& line : ReadLines(train, SIZE_MAX)) {
    const std::vector<int32_t> source = Pieces(model, line.source, Side::kSource);
    const std::vector<int32_t> target = Pieces(model, line.target, Side::kTarget);
    pairs.Add(source, target);
    turned.Add(target, source);
  }
  const Model1 onward = Learn(pairs, model.config().vocabulary, pool);
  const Model1 back = Learn(turned, model.config().vocabulary, pool);

  HeadRanking attention, needed;
  double correlation = 0;
  size_t rows = 0, judged = 0, largest = 0;
  for (const Line& line : ReadLines(dev, count)) {
    ExplainJob job(model, Question::kWords, line.source, line.target, {.copy = false});
    while (!job.Step(ctx)) continue;
    if (!job.outcome()) return std::fprintf(stderr, "%s\n", job.outcome().error().ToString().c_str()), 1;
    const AttentionMap &looked = job.replay().alignment, &fell = job.result().matrix;
    std::vector<int32_t> source = job.replay().source.tokens.ids, target = job.replay().target.tokens.ids;
    source.pop_back();
    target.pop_back();
    if (source.empty() || target.empty()) continue;
    const PieceLinks links = LinkPieces(source, target, onward, back);
    attention.Add(looked, links);
    needed.Add(fell, links);
    for (size_t t = 0; t < target.size(); ++t) {
      const float *a = looked.Row(0, 0, t), *b = fell.Row(0, 0, t);
      correlation += RankCorrelation(a, b, looked.sources);
      largest += std::max_element(a, a + looked.sources) - a == std::max_element(b, b + looked.sources) - b ? 1 : 0;
      ++rows;
    }
    ++judged;
  }
  const HeadRanking::Head one[] = {{0, 0}};
  const auto share = [](size_t part, size_t all) { return static_cast<double>(part) / static_cast<double>(all); };
  std::printf(
      "{\"sentences\": %zu, \"training pairs\": %zu, \"links\": %zu, \"attention agrees\": %.4f, \"needed agrees\": "
      "%.4f, "
      "\"rank correlation\": %.4f, \"same largest\": %.4f}\n",
      judged, pairs.size(), attention.links(), attention.Agreement(one), needed.Agreement(one),
      correlation / static_cast<double>(rows), share(largest, rows));
  return 0;
}

}  // namespace
}  // namespace qkv

int main(int argc, char** argv) {
  if (argc != 5) return std::fprintf(stderr, "usage: claim_needed MODEL TRAIN.tsv DEV.tsv COUNT\n"), 2;
  return qkv::Measure(argv[1], argv[2], argv[3], std::strtoul(argv[4], nullptr, 10));
}
