// qkv score: prints the log-probability of a translation.
#include <unistd.h>

#include "core/cli/command.h"
#include "core/cli/intervene.h"
#include "core/cli/lines.h"
#include "core/translate/replay.h"

namespace qkv::cli {
namespace {

struct ScoreFlags {
  Common common;
  bool pieces = false;
  InterventionsFile interventions;
};

void ScorePairs(ScoreFlags& options) {
  const std::unique_ptr<TranslationModel> model = LoadOrFail(options.common.model);
  options.interventions.Read(ChangeablePlaces::Of(model->config()));
  Arena arena;
  ThreadPool pool(options.common.threads);
  Context ctx{arena, pool};
  LineReader reader(STDIN_FILENO);
  size_t number = 0;
  // Line by line: log p(target | source), and on demand that of each piece.
  for (auto lines = reader.Next(1); !lines.empty(); lines = reader.Next(1)) {
    ++number;
    const std::string& line = lines.front();
    const size_t tab = line.find('\t');
    if (tab == std::string::npos) Fail("line " + std::to_string(number) + ": SOURCE<TAB>TARGET was expected");
    ReplayJob job(*model, line.substr(0, tab), line.substr(tab + 1), ReplayKind::kScore,
                  {.changes = options.interventions.changes(), .first_sentence = number - 1});
    Finish(job, ctx);
    const Replay& replay = job.result();
    std::printf("%.6f", static_cast<double>(replay.log_prob));
    for (size_t i = 0; options.pieces && i < replay.log_probs.size(); ++i) {
      const std::string piece(model->PieceText(replay.target.tokens.ids[i]));
      std::printf("\t%s %.6f", piece.c_str(), static_cast<double>(replay.log_probs[i]));
    }
    std::fputc('\n', stdout);
    if (replay.source.tokens.truncated || replay.target.tokens.truncated) {
      WarnOfCut(number, model->config().max_positions, "scored");
    }
    FlushOrFail();
  }
}

}  // namespace

void AddScore(CLI::App& app) {
  auto options = std::make_shared<ScoreFlags>();
  CLI::App* command = app.add_subcommand(
      "score", "Score translations: SOURCE<TAB>TARGET in, the target's log probability (natural, </s> included) out");
  AddModel(*command, options->common);
  command->add_flag("--pieces", options->pieces, "each piece's log probability behind the sum");
  options->interventions.AddTo(*command);
  AddThreads(*command, options->common);
  command->callback([options] { ScorePairs(*options); });
}

}  // namespace qkv::cli
