// Bindings: jobs, whose steps JavaScript runs, and their results.
#include <emscripten/bind.h>

#include <algorithm>
#include <optional>

#include "core/base/budget.h"
#include "core/text/utf.h"
#include "core/translate/replay.h"
#include "core/translate/translation.h"
#include "wasm/changes.h"
#include "wasm/engine.h"
#include "wasm/jobs.h"
#include "wasm/models.h"
#include "wasm/values.h"

namespace qkv::wasm {
namespace {

// A job of either kind, and the model that names its pieces.
struct Running {
  const TranslationModel* model;
  std::unique_ptr<TranslationJob> translation;
  std::unique_ptr<ReplayJob> replay;
};

Handles<Running>& Jobs() {
  static Handles<Running> jobs;
  return jobs;
}

// A whole number of an options object; 0 if it is absent.
size_t Option(const val& options, const char* name) {
  if (options.isNull() || options.isUndefined()) return 0;
  const val value = options[name];
  return value.isNumber() ? static_cast<size_t>(std::clamp(value.as<double>(), 0.0, 0x1p31)) : 0;
}

// A prefix, as a text or as rows of the embedding. If the last row is </s>, the prefix is the whole translation.
Result<std::vector<int32_t>> ParsePrefix(const TranslationModel& model, const val& prefix) {
  if (prefix.isUndefined() || prefix.isNull()) return std::vector<int32_t>{};
  if (prefix.isString()) return model.Prefix(prefix.as<std::string>());
  std::vector<int32_t> ids = emscripten::convertJSArrayToNumberVector<int32_t>(prefix);
  const std::vector<int32_t>& banned = model.generation().banned;
  const auto vocabulary = static_cast<int32_t>(model.config().vocabulary);
  for (size_t i = 0; i < ids.size(); ++i) {
    const bool known =
        ids[i] >= 0 && ids[i] < vocabulary && std::find(banned.begin(), banned.end(), ids[i]) == banned.end();
    if (known && (ids[i] != model.config().end || i + 1 == ids.size())) continue;
    return Error{ErrorCode::kInvalidArgument,
                 "a prefix must be ids of pieces that the model writes, with </s> only at its end", "prefix"};
  }
  return ids;
}

}  // namespace

std::string ReadText(const val& value, DecodeOptions& options) {
  std::vector<GivenPart>& given = options.given.emplace_back();
  if (value.isString()) return value.as<std::string>();
  std::string text;
  const std::vector<std::string> parts = emscripten::vecFromJSArray<std::string>(value);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i % 3 == 1) given.push_back({text.size(), text.size() + parts[i].size(), {}});
    if (i % 3 == 2) {
      given.back().text = parts[i];
    } else {
      text += parts[i];
    }
  }
  return text;
}

Result<DecodeOptions> ParseOptions(const TranslationModel& model, const val& options) {
  DecodeOptions parsed;
  parsed.beam = Option(options, "beam");
  parsed.max_length = Option(options, "maxLength");
  if (parsed.beam > kLargestBeam) {
    return Error{ErrorCode::kInvalidArgument, "beam must be from 1 to " + std::to_string(kLargestBeam), "beam"};
  }
  if (options.isNull() || options.isUndefined()) return parsed;
  parsed.n_best = std::max<size_t>(Option(options, "nBest"), 1);
  parsed.tree = options["tree"].isTrue();
  parsed.shortlist = !options["shortlist"].isFalse();
  parsed.copy = !options["copy"].isFalse();
  parsed.align = Flag(options, "align");
  Result<std::vector<int32_t>> prefix = ParsePrefix(model, options["prefix"]);
  if (!prefix) return prefix.error();
  parsed.prefix = std::move(*prefix);
  Result<std::shared_ptr<const PassChanges>> changes = ReadChanges(options, model.config());
  if (!changes) return changes.error();
  parsed.changes = std::move(*changes);
  parsed.first_sentence = Option(options, "sentence");
  return parsed;
}

Result<PairRequest> ReadPair(const TranslationModel& model, const val& source, const val& target, const val& options) {
  PairRequest pair;
  QKV_TRY(pair.decode, ParseOptions(model, options));
  QKV_CHECK(CheckTexts({source, target}));
  if (target.isString()) pair.target = target.as<std::string>();
  pair.source = ReadText(source, pair.decode);
  return pair;
}

val PairValue(const TranslationModel& model, const Replay& replay) {
  val value = val::object();
  val target = TokensValue(model, replay.target.text, replay.target.tokens, Side::kTarget);
  Set(target, "logProbs", TypedArray(replay.log_probs));
  Set(value, "source", TokensValue(model, replay.source.text, replay.source.tokens, Side::kSource));
  Set(value, "target", target);
  Set(value, "score", val(replay.log_prob));
  return value;
}

namespace {

val TranslateStart(int handle, const val& texts, const val& options) {
  const TranslationModel* model = ModelAt(handle);
  if (model == nullptr) return NoSuch("model");
  Result<DecodeOptions> decode = ParseOptions(*model, options);
  if (!decode) return ErrorValue(decode.error());
  if (const Result<void> fits = CheckTexts({texts}); !fits) return ErrorValue(fits.error());
  std::vector<std::string> sources;
  for (const val& text : emscripten::vecFromJSArray<val>(texts)) sources.push_back(ReadText(text, *decode));
  auto job = std::make_unique<TranslationJob>(*model, sources, std::move(*decode));
  return val(Jobs().Add(std::make_unique<Running>(Running{model, std::move(job), nullptr})));
}

val ReplayStart(int handle, const val& source, const val& target, const val& options, ReplayKind kind) {
  const TranslationModel* model = ModelAt(handle);
  if (model == nullptr) return NoSuch("model");
  Result<PairRequest> pair = ReadPair(*model, source, target, options);
  if (!pair) return ErrorValue(pair.error());
  auto job = std::make_unique<ReplayJob>(*model, std::move(pair->source), std::move(pair->target), kind, pair->decode);
  return val(Jobs().Add(std::make_unique<Running>(Running{model, nullptr, std::move(job)})));
}

val TraceStart(int handle, const val& source, const val& target, const val& options) {
  const ReplayKind kind = Flag(options, "vectors") ? ReplayKind::kVectors : ReplayKind::kTrace;
  return ReplayStart(handle, source, target, options, kind);
}

val ScoreStart(int handle, const val& source, const val& target, const val& options) {
  return ReplayStart(handle, source, target, options, ReplayKind::kScore);
}

val JobStep(int handle) {
  const Running* job = Jobs().Get(handle);
  if (job == nullptr) return NoSuch("job");
  return Stepped(job->translation ? static_cast<Job&>(*job->translation) : *job->replay);
}

// Four numbers for each span, in UTF-16 units: begin and end in the source, begin and end in the target.
val CopiedValue(const std::string& source, const std::string& target, const std::vector<CopiedSpan>& copied) {
  std::vector<int32_t> offsets;
  const auto add = [&](const std::string& text, std::initializer_list<size_t> bytes) {
    Utf16Offsets units(text);
    for (const size_t byte : bytes) offsets.push_back(static_cast<int32_t>(units.At(byte)));
  };
  for (const CopiedSpan& span : copied) {
    add(source, {span.source_begin, span.source_end});
    add(target, {span.target_begin, span.target_end});
  }
  return TypedArray(offsets);
}

// 'length', 'repetition' or false.
val CutValue(Cut cut) {
  const char* name = NameOf(cut);
  return name == nullptr ? val(false) : val(std::string(name));
}

val ListValue(const std::vector<const char*>& names) {
  val list = val::array();
  for (const char* name : names) Push(list, val(std::string(name)));
  return list;
}

// {text, pieces, ids, score, logProb, cut}
val ScoredValue(const TranslationModel& model, const ScoredText& scored) {
  val value = val::object(), pieces = val::array();
  for (const int32_t id : scored.ids) pieces.call<void>("push", std::string(model.PieceText(id)));
  value.set("text", scored.text);
  value.set("pieces", pieces);
  value.set("ids", TypedArray(scored.ids));
  value.set("score", scored.score);
  value.set("logProb", scored.log_prob);
  value.set("cut", CutValue(scored.cut));
  return value;
}

// {pieces, ids, parents, logProbs}: entry i continues entry parents[i]; -1: it begins a translation.
val TreeValue(const TranslationModel& model, const std::vector<SearchNode>& tree) {
  val value = val::object(), pieces = val::array();
  std::vector<int32_t> ids, parents;
  std::vector<float> log_probs;
  for (const SearchNode& node : tree) {
    pieces.call<void>("push", std::string(model.PieceText(node.piece)));
    ids.push_back(node.piece);
    parents.push_back(node.parent);
    log_probs.push_back(node.log_prob);
  }
  value.set("pieces", pieces);
  value.set("ids", TypedArray(ids));
  value.set("parents", TypedArray(parents));
  value.set("logProbs", TypedArray(log_probs));
  return value;
}

// {shape: [targets, sources], data, source, target, copied}
val AlignedValue(const TranslationModel& model, const CarriedSource& source, const Translation& translation) {
  const AttentionMap& alignment = translation.alignment;
  val value = TensorValue(alignment.weights, {alignment.targets, alignment.sources});
  Set(value, "source", TokensValue(model, source.text(), source.tokens(), Side::kSource));
  Set(value, "target", TokensValue(model, translation.text, translation.tokens, Side::kTarget));
  Set(value, "copied", CopiedValue(source.text(), translation.text, translation.copied));
  return value;
}

val TranslateResult(int handle) {
  const Running* job = Jobs().Get(handle);
  if (job == nullptr || job->translation == nullptr) return NoSuch("job");
  val results = val::array();
  size_t text = 0;
  for (const Translation& translation : job->translation->results()) {
    // The tree is the largest part. Its memory is checked before it is converted.
    const uint64_t tree = 4 * translation.tree.size() * sizeof(SearchNode);  // the bytes of lists that grow
    if (const Result<void> fits = CheckMemory(tree, "ask for a smaller beam", "tree"); !fits) {
      return ErrorValue(fits.error());
    }
    val result = ScoredValue(*job->model, translation);
    result.set("truncated", translation.truncated);
    result.set("confidence", translation.confidence);
    result.set("warnings",
               ListValue(Warnings(translation.copied, translation.truncated, translation.cut, translation.foreign)));
    // The optional results: n-best, alignment, tree.
    if (!translation.n_best.empty()) {
      val ranked = val::array();
      for (const ScoredText& hypothesis : translation.n_best)
        ranked.call<void>("push", ScoredValue(*job->model, hypothesis));
      result.set("nBest", ranked);
    }
    if (!translation.tokens.ids.empty()) {
      Set(result, "alignment", AlignedValue(*job->model, job->translation->source(text), translation));
    }
    ++text;
    if (!translation.tree.empty()) result.set("tree", TreeValue(*job->model, translation.tree));
    results.call<void>("push", result);
  }
  return results;
}

val MapValue(const AttentionMap& map) {
  val value = TensorValue(map.weights, {map.layers, map.heads, map.targets, map.sources});
  if (map.dim > 0) {
    val vectors = val::object();
    Set(vectors, "dim", val(map.dim));
    Set(vectors, "queries", TypedArray(map.queries));
    Set(vectors, "keys", TypedArray(map.keys));
    Set(vectors, "values", TypedArray(map.values));
    Set(value, "vectors", vectors);
  }
  return value;
}

// {shape: [targets, sources], data, heads: [[layer, head], ...], ranked}
val AlignmentValue(const TranslationModel& model, const Replay& replay) {
  val value = TensorValue(replay.alignment.weights, {replay.alignment.targets, replay.alignment.sources});
  value.set("heads", HeadsValue(replay.alignment_heads));
  value.set("ranked", !model.generation().alignment_heads.empty());
  return value;
}

// {count, pieces, ids, logProbs}: `count` likeliest pieces at each place of the target, best first.
val AlternativesValue(const TranslationModel& model, const Replay& replay) {
  val value = val::object(), pieces = val::array();
  std::vector<int32_t> ids;
  std::vector<float> log_probs;
  for (const Alternative& alternative : replay.alternatives) {
    pieces.call<void>("push", std::string(model.PieceText(alternative.id)));
    ids.push_back(alternative.id);
    log_probs.push_back(alternative.log_prob);
  }
  value.set("count", static_cast<double>(replay.alternatives.size() / replay.log_probs.size()));
  value.set("pieces", pieces);
  value.set("ids", TypedArray(ids));
  value.set("logProbs", TypedArray(log_probs));
  return value;
}

// The pieces that the decoder read, one for each row of its attention.
val TargetInput(const TranslationModel& model, const Replay& replay) {
  val pieces = val::array();
  pieces.call<void>("push", std::string(model.PieceText(model.config().start)));
  for (size_t i = 0; i + 1 < replay.target.tokens.ids.size(); ++i) {
    pieces.call<void>("push", std::string(model.PieceText(replay.target.tokens.ids[i])));
  }
  return pieces;
}

val TraceResult(int handle) {
  const Running* job = Jobs().Get(handle);
  if (job == nullptr || job->replay == nullptr) return NoSuch("job");
  const Replay& replay = job->replay->result();
  // The two texts, and the facts about the translation.
  val trace = PairValue(*job->model, replay);
  trace.set("targetInput", TargetInput(*job->model, replay));
  trace.set("sourceTruncated", replay.source.tokens.truncated);
  trace.set("targetTruncated", replay.target.tokens.truncated);
  trace.set("cut", CutValue(replay.cut));
  trace.set("confidence", replay.confidence);
  trace.set("warnings", ListValue(Warnings(replay.copied, replay.source.tokens.truncated, replay.cut, replay.foreign)));
  trace.set("copied", CopiedValue(replay.source.text, replay.target.text, replay.copied));
  // All weights.
  trace.set("encoderSelf", MapValue(replay.encoder_self));
  trace.set("decoderSelf", MapValue(replay.decoder_self));
  if (replay.gates.layers != 0) trace.set("gates", MapValue(replay.gates));
  trace.set("cross", MapValue(replay.cross));
  if (!replay.centres.empty()) {
    val window = val::object();
    window.set("centres", TypedArray(replay.centres));
    window.set("halfWidth", job->model->config().half_width);
    trace.set("window", window);
  }
  trace.set("alternatives", AlternativesValue(*job->model, replay));
  trace.set("alignment", AlignmentValue(*job->model, replay));
  return trace;
}

val ScoreResult(int handle) {
  const Running* job = Jobs().Get(handle);
  if (job == nullptr || job->replay == nullptr) return NoSuch("job");
  const Replay& replay = job->replay->result();
  val result = TokensValue(*job->model, replay.target.text, replay.target.tokens, Side::kTarget);
  result.set("score", replay.log_prob);
  result.set("logProbs", TypedArray(replay.log_probs));
  return result;
}

}  // namespace

EMSCRIPTEN_BINDINGS(qkv_jobs) {
  using emscripten::function;
  function("translateStart", &TranslateStart);
  function("translateResult", &TranslateResult);
  function("traceStart", &TraceStart);
  function("traceResult", &TraceResult);
  function("scoreStart", &ScoreStart);
  function("scoreResult", &ScoreResult);
  function("jobStep", &JobStep);
  function("jobFree", +[](int handle) { Jobs().Free(handle); });
}

}  // namespace qkv::wasm
