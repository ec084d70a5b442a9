// qkv explain: answers questions about translations by interventions.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/cli/command.h"
#include "core/cli/json_writer.h"
#include "core/cli/lines.h"
#include "core/explain/explain_job.h"
#include "core/text/utf.h"

namespace qkv::cli {
namespace {

constexpr const char* kSides[] = {"encoder", "decoder", "cross"};

struct ExplainFlags {
  Common common;
  Question question = Question::kHeads;
  bool mean = false;
};

void Pieces(Writer& json, const char* key, const TranslationModel& model, const Tokens& tokens, Side side) {
  Array(json, key, tokens.ids, [&](int32_t id) { String(json, model.PieceText(id, side)); });
}

// {"shape": [rows, columns], "data": [...]}
void Numbers(Writer& json, const char* key, size_t rows, size_t columns, const std::vector<float>& data) {
  json.Key(key);
  json.StartObject();
  json.Key("shape");
  json.StartArray();
  json.Uint64(rows);
  json.Uint64(columns);
  json.EndArray();
  json.Key("data");
  json.StartArray();
  for (const float value : data) json.Double(static_cast<double>(value));
  json.EndArray();
  json.EndObject();
}

void Print(const TranslationModel& model, const Explanation& result, const Replay& replay) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.SetMaxDecimalPlaces(6);
  json.StartObject();
  Pieces(json, "source", model, replay.source.tokens, Side::kSource);
  Pieces(json, "target", model, replay.target.tokens, Side::kTarget);
  json.Key("score");
  json.Double(static_cast<double>(replay.log_prob));
  for (size_t k = 0; k < std::size(kSides); ++k) {
    const Explanation::Heads& heads = result.heads[k];
    if (heads.layers > 0) Numbers(json, kSides[k], heads.layers, heads.heads, heads.falls);
  }
  const AttentionMap& matrix = result.matrix;
  if (matrix.layers > 0) Numbers(json, "matrix", matrix.targets, matrix.sources, matrix.weights);
  json.EndObject();
  std::puts(buffer.GetString());
}

// Sums of each head over lines.
struct Sums {
  std::array<std::vector<double>, 3> falls;
  size_t lines = 0;

  void Add(const Explanation& result) {
    for (size_t k = 0; k < falls.size(); ++k) {
      falls[k].resize(result.heads[k].falls.size());
      for (size_t i = 0; i < falls[k].size(); ++i) falls[k][i] += static_cast<double>(result.heads[k].falls[i]);
    }
    ++lines;
  }
  void Print(const ChangeablePlaces& places) const {
    const size_t heads[] = {places.encoder.heads, places.decoder.heads, places.cross.heads};
    for (size_t k = 0; k < falls.size(); ++k) {
      for (size_t i = 0; i < falls[k].size(); ++i) {
        std::printf("%s\t%zu\t%zu\t%.6f\n", kSides[k], i / heads[k], i % heads[k],
                    falls[k][i] / static_cast<double>(lines));
      }
    }
  }
};

void Explain(const ExplainFlags& options) {
  const std::unique_ptr<TranslationModel> model = LoadOrFail(options.common.model);
  Arena arena;
  ThreadPool pool(options.common.threads);
  Context ctx{arena, pool};
  LineReader reader(STDIN_FILENO);
  Sums sums;
  // Line by line, because the input may be a program that waits for each answer.
  for (auto lines = reader.Next(1); !lines.empty(); lines = reader.Next(1)) {
    const std::string line = ToValidUtf8(lines.front());
    const size_t tab = line.find('\t');
    std::optional<std::string> target;
    if (tab != std::string::npos) target = line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1);
    ExplainJob job(*model, options.question, line.substr(0, tab), std::move(target), {});
    Finish(job, ctx);
    if (options.mean) {
      sums.Add(job.result());
    } else {
      Print(*model, job.result(), job.replay());
    }
    FlushOrFail();
  }
  // The mean of all lines.
  if (sums.lines > 0) sums.Print(ChangeablePlaces::Of(model->config()));
}

// In the order of Question.
constexpr std::array kQuestions{"heads", "words", "rollout", "flow"};

}  // namespace

void AddExplain(CLI::App& app) {
  auto options = std::make_shared<ExplainFlags>();
  CLI::App* command = app.add_subcommand(
      "explain", "Explain translations: SOURCE or SOURCE<TAB>TARGET in, an object of JSON out for each line");
  // CLI11 reads the question as a word; the callback converts it to the enum.
  auto question = std::make_shared<std::string>();
  command
      ->add_option(
          "QUESTION", *question,
          "heads: how much log p falls without each head; words: and for each target piece without each source "
          "piece; rollout, flow: how much of each piece reaches each row of the encoder")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>(kQuestions.begin(), kQuestions.end())));
  AddModel(*command, options->common);
  command->add_flag("--mean", options->mean,
                    "of heads: the mean of all lines, as ATTENTION<TAB>LAYER<TAB>HEAD<TAB>FALL");
  AddThreads(*command, options->common);
  // The checks that CLI11 cannot do, then the work.
  command->callback([options, question] {
    options->question =
        static_cast<Question>(std::find(kQuestions.begin(), kQuestions.end(), *question) - kQuestions.begin());
    if (options->mean && options->question != Question::kHeads) Fail("--mean is for heads");
    Explain(*options);
  });
}

}  // namespace qkv::cli
