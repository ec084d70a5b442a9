// Whole models: an encoder's layers over given rows, and a translation from ids to ids as core/translate runs it.
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/arena.h"
#include "core/decode/beam.h"
#include "core/explain/change_list.h"
#include "core/models/transformer.h"
#include "core/translate/decode_options.h"
#include "core/translate/folder.h"
#include "tests/bench/bench.h"
#include "tests/bench/random.h"

namespace qkv {
namespace {

struct Bench {
  const TranslationModel& model;
  Arena arena;
  ThreadPool pool;
  Context ctx{arena, pool};
};

// The reader of the times adds the operations of tests/bench/models/architectures.mjs.
constexpr double kUnknownOperations = 0;

// x [length, d] through every layer of the encoder; with changes, every row of weights is changed.
void BenchEncoder(Bench& bench, size_t length, const Interventions* interventions = nullptr) {
  const std::string name = (interventions == nullptr ? "encoder " : "interventions ") + std::to_string(length);
  if (!Wanted(name)) return;
  Context ctx = bench.ctx;
  ctx.interventions = interventions;
  const auto& transformer = static_cast<const Transformer&>(bench.model.model());
  const size_t d = bench.model.config().d_model;
  const auto rows = static_cast<Eigen::Index>(length), cols = static_cast<Eigen::Index>(d);
  const std::vector<float> values = SeededFloats(length * d, 1, 8);
  const Matrix input = ConstMatrixView(values.data(), rows, cols);
  Matrix x = input;
  Segments segments;
  segments.Add(length);
  const auto run = [&] {
    x = input;
    for (size_t layer = 0; layer < bench.model.config().encoder_layers; ++layer) {
      const ArenaScope scope(bench.arena);
      x = transformer.EncoderStep(ctx, layer, View(x), segments);
    }
  };
  Report(name, kUnknownOperations, run, [&] { return Excerpt(x.data(), length * d); });
}

// Greedy, exactly as many pieces as the source has: the weights never choose </s>.
std::vector<SearchNode> Translate(Bench& bench, const Tokens& source, SearchOptions options) {
  const SequenceModel& model = bench.model.model();
  const std::unique_ptr<EncoderPass> encoder = Encode(model, {&source});
  for (bool done = false; !done;) {
    const ArenaScope scope(bench.arena);
    done = encoder->Step(bench.ctx);
  }
  std::unique_ptr<DecoderState> state;
  {
    const ArenaScope scope(bench.arena);
    state = encoder->Start(bench.ctx, {0});
  }
  BeamSearch search(model, std::move(state), {source.ids.size()}, std::move(options));
  for (bool done = false; !done;) {
    const ArenaScope scope(bench.arena);
    done = search.Step(bench.ctx);
  }
  return search.Tree(0);
}

// The pieces and the log-probability of the pieces up to each. The last piece is the </s> that ends every translation.
std::vector<double> Written(const std::vector<SearchNode>& tree) {
  std::vector<double> numbers;
  for (const SearchNode& node : tree) numbers.push_back(node.piece);
  for (const SearchNode& node : tree) numbers.push_back(node.log_prob);
  return numbers;
}

// A given number of pieces, spread over the vocabulary (models/shortlist.mjs); the whole vocabulary if it has no more.
std::vector<std::vector<int32_t>> Shortlists(size_t vocabulary, size_t outputs) {
  if (outputs == vocabulary) return {};
  std::vector<int32_t> pieces;
  for (size_t i = 0; i < outputs; ++i) pieces.push_back(static_cast<int32_t>(i * (vocabulary / outputs)));
  return {pieces};
}

std::string NameOfTranslation(size_t length, size_t outputs) {
  return "translate " + std::to_string(length) + ", " + std::to_string(outputs) + " outputs";
}

// Ids as in inputs.mjs.
void BenchTranslation(Bench& bench, size_t length, size_t outputs) {
  const std::string name = NameOfTranslation(length, outputs);
  if (!Wanted(name)) return;
  const SequenceConfig& config = bench.model.config();
  Tokens source;
  for (size_t i = 0; i + 1 < length; ++i) source.ids.push_back(static_cast<int32_t>(7 + 13 * i));
  source.ids.push_back(config.end);
  const SearchOptions options{.start = config.start,
                              .end = config.end,
                              .banned = bench.model.generation().banned,
                              .shortlists = Shortlists(config.vocabulary, outputs)};
  std::vector<SearchNode> tree;
  Report(name, kUnknownOperations, [&] { tree = Translate(bench, source, options); }, [&] { return Written(tree); });
}

// What further rows of a decoding step cost: 12 steps with so many hypotheses of a sentence of 12 pieces, and the
// logits. A pass that checks a draft of n pieces computes 1 + n rows.
void BenchRows(Bench& bench, size_t rows) {
  const std::string name = "decode 12 steps of " + std::to_string(rows) + " rows";
  if (!Wanted(name)) return;
  constexpr size_t kPieces = 12;
  const SequenceModel& model = bench.model.model();
  Tokens source;
  for (size_t i = 0; i + 1 < kPieces; ++i) source.ids.push_back(static_cast<int32_t>(7 + 13 * i));
  source.ids.push_back(bench.model.config().end);
  const std::unique_ptr<EncoderPass> encoder = Encode(model, {&source});
  std::unique_ptr<DecoderState> state;
  for (bool done = false; !done;) {
    const ArenaScope scope(bench.arena);
    done = encoder->Step(bench.ctx);
    if (done) state = encoder->Start(bench.ctx, std::vector<int32_t>(rows, 0));
  }
  const std::vector<int32_t> read(rows, bench.model.config().start);
  std::vector<double> last;
  const auto run = [&] {
    for (size_t i = 0; i < kPieces; ++i) {
      const ArenaScope scope(bench.arena);
      const MatrixView logits = model.Logits(bench.ctx, View(model.Step(bench.ctx, read, *state)));
      last.assign(logits.data(), logits.data() + 8);
    }
    static_cast<TransformerState&>(*state).self.TakeBack(kPieces);
  };
  Report(name, kUnknownOperations, run, [&] { return last; });
}

// The model in a folder, or null. WebAssembly calls main many times: a model stays until another one is asked for.
const TranslationModel* ModelIn(const std::string& folder, bool shortlist) {
  static std::string loaded;
  static bool has_shortlist = false;
  static std::unique_ptr<TranslationModel> model;
  if (model != nullptr && loaded == folder && has_shortlist == shortlist) return model.get();
  model.reset();
  Result<std::unique_ptr<TranslationModel>> result = LoadFolder(folder, shortlist);
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().ToString().c_str());
    return nullptr;
  }
  loaded = folder;
  has_shortlist = shortlist;
  model = std::move(*result);
  return model.get();
}

}  // namespace

bool BenchModel(const std::string& folder) {
  // With a shortlist, and the encoder.
  const TranslationModel* model = ModelIn(folder, true);
  if (model == nullptr) return false;
  const size_t vocabulary = model->config().vocabulary;
  {
    Bench bench{*model, {}, ThreadPool(1)};
    for (const size_t length : {32, 128}) BenchEncoder(bench, length);
    const ChangeList changes({{.kind = ChangeKind::kTemperature, .table = {0, false, {2}}}});
    const Interventions interventions(changes);
    for (const size_t length : {32, 128}) BenchEncoder(bench, length, &interventions);
    for (size_t rows = 1; rows <= 8; ++rows) BenchRows(bench, rows);
    if (model->has_shortlist()) BenchTranslation(bench, 32, 1000);
  }
  // Without one: the table of pieces then has another layout.
  if (!Wanted(NameOfTranslation(32, vocabulary))) return true;
  model = ModelIn(folder, false);
  if (model == nullptr) return false;
  Bench bench{*model, {}, ThreadPool(1)};
  BenchTranslation(bench, 32, vocabulary);
  return true;
}

}  // namespace qkv
