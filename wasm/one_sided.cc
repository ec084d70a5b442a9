// Bindings: jobs of encoders and generators, whose steps JavaScript runs, and their results.
#include <emscripten/bind.h>

#include <algorithm>
#include <cmath>

#include "core/encode/encode_job.h"
#include "core/encode/predictions.h"
#include "core/explain/change_list.h"
#include "core/generate/generate_job.h"
#include "core/text/utf.h"
#include "wasm/engine.h"
#include "wasm/models.h"
#include "wasm/values.h"

namespace qkv::wasm {
namespace {

struct Running {
  const EncoderModel* encoder = nullptr;
  const GeneratorModel* generator = nullptr;
  std::vector<EncodeInput> inputs;  // for an encoder; for a generator: the text to trace
  std::unique_ptr<EncodeJob> encode;
  std::unique_ptr<GenerateJob> generate;
  std::unique_ptr<GenerationTraceJob> trace;
};

Handles<Running>& Jobs() {
  static Handles<Running> jobs;
  return jobs;
}

template <class Model>
val PieceList(const Model& model, const std::vector<int32_t>& ids) {
  val pieces = val::array();
  for (const int32_t id : ids) Push(pieces, val(std::string(model.PieceText(id))));
  return pieces;
}

// {pieces, ids, begin, end, of}: a span is a UTF-16 range of text `of`; -1: the piece belongs to no text.
template <class Model>
val EncodingValue(const Model& model, const Encoding& encoding, const EncodeInput& input) {
  std::vector<int32_t> begin(encoding.size()), end(encoding.size());
  const std::string empty;
  for (int32_t of = 0; of < 2; ++of) {
    const std::string& text = of == 0 ? input.text : input.second ? *input.second : empty;
    Utf16Offsets begins(text), ends(text);
    for (size_t i = 0; i < encoding.size(); ++i) {
      if (encoding.text[i] != of) continue;
      begin[i] = static_cast<int32_t>(begins.At(encoding.begin[i]));
      end[i] = static_cast<int32_t>(ends.At(encoding.end[i]));
    }
  }
  val value = val::object();
  Set(value, "pieces", PieceList(model, encoding.ids));
  Set(value, "ids", TypedArray(encoding.ids));
  Set(value, "begin", TypedArray(begin));
  Set(value, "end", TypedArray(end));
  Set(value, "of", TypedArray(encoding.text));
  Set(value, "truncated", val(encoding.truncated));
  return value;
}

val MapValue(const AttentionMap& map) {
  return TensorValue(map.weights, {map.layers, map.heads, map.targets, map.sources});
}

// {data, shape}
val MatrixValue(const Matrix& matrix) {
  const auto size = static_cast<size_t>(matrix.size());
  val tensor = val::object();
  Set(tensor, "data", val(emscripten::typed_memory_view(size, matrix.data())).call<val>("slice"));
  Set(tensor, "shape", Numbers({static_cast<size_t>(matrix.rows()), static_cast<size_t>(matrix.cols())}));
  return tensor;
}

// {pieces, ids, logProbs}, best first.
template <class Model>
val GuessesValue(const Model& model, const std::vector<Guess>& guesses) {
  std::vector<int32_t> ids;
  std::vector<float> log_probs;
  for (const Guess& guess : guesses) {
    ids.push_back(guess.id);
    log_probs.push_back(guess.log_prob);
  }
  val value = val::object();
  Set(value, "pieces", PieceList(model, ids));
  Set(value, "ids", TypedArray(ids));
  Set(value, "logProbs", TypedArray(log_probs));
  return value;
}

// The field `interventions` of an options object, for a model with these places; null if it is absent.
Result<std::shared_ptr<const ChangeList>> ChangesOf(const val& options, const ChangeablePlaces& places) {
  const val json = Field(options, "interventions");
  if (!json.isString()) return std::shared_ptr<const ChangeList>();
  return ParseChanges(json.as<std::string>(), places);
}

// inputs: [[text, second or null], ...]; options: {hidden, head, trace, interventions}
val EncodeStart(int handle, const val& inputs, const val& options) {
  const EncoderModel* const model = EncoderAt(handle);
  if (model == nullptr) return NoSuch("model");
  if (const Result<void> fits = CheckTexts({inputs}); !fits) return ErrorValue(fits.error());
  const EncoderConfig& config = model->config();
  const auto changes = ChangesOf(options, ChangeablePlaces::OfEncoder(config.layers, config.heads));
  if (!changes) return ErrorValue(changes.error());
  auto running = std::make_unique<Running>();
  running->encoder = model;
  for (const val& pair : emscripten::vecFromJSArray<val>(inputs)) {
    running->inputs.push_back({pair[0].as<std::string>()});
    if (IsGiven(pair[1])) running->inputs.back().second = pair[1].as<std::string>();
  }
  const EncodeOptions encode{Flag(options, "hidden"), Flag(options, "head"),
                             Flag(options, "trace") && running->inputs.size() == 1, changes.value()};
  running->encode = std::make_unique<EncodeJob>(*model, running->inputs, encode);
  return val(Jobs().Add(std::move(running)));
}

// Adds the results of the head for one text.
void AddPredictions(val& value, const EncoderModel& model, const Encoded& result, size_t count, size_t longest) {
  using Head = EncoderConfig::Head;
  const EncoderConfig& config = model.config();
  const auto row = [&](size_t i) { return result.logits.row(static_cast<Eigen::Index>(i)).data(); };
  const auto columns = static_cast<size_t>(result.logits.cols());
  val list = val::array();
  // Guesses for each mask.
  if (config.head == Head::kMasked) {
    for (size_t i = 0; i < result.rows.size(); ++i) {
      val guesses = GuessesValue(model, Guesses(row(i), columns, count));
      Set(guesses, "index", val(static_cast<double>(result.rows[i])));
      Push(list, guesses);
    }
    Set(value, "masks", list);
  } else if (config.head == Head::kSequence || config.head == Head::kTokens) {
    // Scores of all labels, for the text or for each piece.
    const auto choice = config.head == Head::kTokens ? EncoderConfig::Choice::kOne : config.choice;
    std::vector<float> all;
    for (size_t i = 0; i < result.rows.size(); ++i) {
      const std::vector<float> scores = LabelScores(row(i), columns, choice);
      all.insert(all.end(), scores.begin(), scores.end());
    }
    Set(value, "scores", TypedArray(all));
  } else if (config.head == Head::kAnswer) {
    // Answers, best first.
    const bool some = result.logits.rows() > 0;
    for (const Answer& answer : some ? FindAnswers(result, count, longest) : std::vector<Answer>{}) {
      val found = val::object();
      Set(found, "first", val(static_cast<double>(answer.first)));
      Set(found, "last", val(static_cast<double>(answer.last)));
      Set(found, "score", val(answer.score));
      Push(list, found);
    }
    Set(value, "answers", list);
  }
}

// options: {count, longest}
val EncodeResult(int handle, const val& options) {
  const Running* const job = Jobs().Get(handle);
  if (job == nullptr || job->encode == nullptr) return NoSuch("job");
  const auto count = static_cast<size_t>(std::clamp(Number(options, "count"), 1.0, 1000.0));
  const auto longest = static_cast<size_t>(std::clamp(Number(options, "longest"), 1.0, 1000.0));
  val results = val::array();
  for (size_t i = 0; i < job->inputs.size(); ++i) {
    const Encoded& result = job->encode->results()[i];
    val value = EncodingValue(*job->encoder, result.encoding, job->inputs[i]);
    // For a text without pieces the shapes are [0, d] and [layers, heads, 0, 0].
    if (result.hidden.cols() != 0) Set(value, "vectors", MatrixValue(result.hidden));
    if (result.attention.layers != 0) Set(value, "encoderSelf", MapValue(result.attention));
    AddPredictions(value, *job->encoder, result, count, longest);
    Push(results, value);
  }
  return results;
}

double OptionOr(const val& options, const char* name, double fallback) {
  return IsGiven(Field(options, name)) ? Number(options, name) : fallback;
}

val GenerateStart(int handle, const val& prompt, const val& options) {
  const GeneratorModel* const model = GeneratorAt(handle);
  if (model == nullptr) return NoSuch("model");
  if (const Result<void> fits = CheckTexts({prompt}); !fits) return ErrorValue(fits.error());
  const Gpt2Config& config = model->config();
  // The options. The defaults are those of the model's folder.
  const auto changes = ChangesOf(options, ChangeablePlaces::OfDecoder(config.layers, config.heads));
  if (!changes) return ErrorValue(changes.error());
  GenerateOptions generate;
  generate.changes = changes.value();
  generate.sampling = model->sampling();
  SamplingOptions& sampling = generate.sampling;
  sampling.temperature =
      static_cast<float>(OptionOr(options, "temperature", static_cast<double>(sampling.temperature)));
  sampling.top_k = static_cast<size_t>(OptionOr(options, "topK", static_cast<double>(sampling.top_k)));
  sampling.top_p = static_cast<float>(OptionOr(options, "topP", static_cast<double>(sampling.top_p)));
  sampling.repetition_penalty =
      static_cast<float>(OptionOr(options, "repetitionPenalty", static_cast<double>(sampling.repetition_penalty)));
  sampling.seed = static_cast<uint64_t>(OptionOr(options, "seed", 0));
  generate.max_length = static_cast<size_t>(OptionOr(options, "maxLength", static_cast<double>(generate.max_length)));
  generate.alternatives = static_cast<size_t>(OptionOr(options, "alternatives", 0));
  generate.prompt_lookup = !IsGiven(Field(options, "promptLookup")) || Flag(options, "promptLookup");
  if (IsGiven(Field(options, "stop"))) generate.stops = emscripten::vecFromJSArray<std::string>(Field(options, "stop"));
  // The job.
  auto running = std::make_unique<Running>();
  running->generator = model;
  running->generate = std::make_unique<GenerateJob>(*model, prompt.as<std::string>(), std::move(generate));
  return val(Jobs().Add(std::move(running)));
}

// The text so far. The job may still be running.
val GenerateText(int handle) {
  const Running* const job = Jobs().Get(handle);
  if (job == nullptr || job->generate == nullptr) return NoSuch("job");
  return val(job->generate->text());
}

val GenerateResult(int handle) {
  const Running* const job = Jobs().Get(handle);
  if (job == nullptr || job->generate == nullptr) return NoSuch("job");
  constexpr const char* kEnds[] = {"", "length", "end", "stop"};
  std::vector<int32_t> ids;
  std::vector<float> log_probs;
  val alternatives = val::array();
  for (const WrittenPiece& piece : job->generate->pieces()) {
    ids.push_back(piece.id);
    log_probs.push_back(piece.log_prob);
    if (!piece.alternatives.empty()) Push(alternatives, GuessesValue(*job->generator, piece.alternatives));
  }
  val value = val::object();
  SetText(value, "text", job->generate->text());
  Set(value, "pieces", PieceList(*job->generator, ids));
  Set(value, "ids", TypedArray(ids));
  Set(value, "logProbs", TypedArray(log_probs));
  Set(value, "alternatives", alternatives);
  SetText(value, "end", kEnds[static_cast<size_t>(job->generate->end())]);
  Set(value, "truncated", val(job->generate->truncated()));
  return value;
}

// options: {alternatives, interventions}
val GenerationTraceStart(int handle, const val& given, const val& options) {
  const GeneratorModel* const model = GeneratorAt(handle);
  if (model == nullptr) return NoSuch("model");
  if (const Result<void> fits = CheckTexts({given}); !fits) return ErrorValue(fits.error());
  const Gpt2Config& config = model->config();
  const auto changes = ChangesOf(options, ChangeablePlaces::OfDecoder(config.layers, config.heads));
  if (!changes) return ErrorValue(changes.error());
  const auto text = given.as<std::string>();
  const auto alternatives = static_cast<size_t>(std::clamp(Number(options, "alternatives"), 1.0, 1000.0));
  auto running = std::make_unique<Running>();
  running->generator = model;
  running->inputs.push_back({text});
  running->trace = std::make_unique<GenerationTraceJob>(*model, text, alternatives, changes.value());
  return val(Jobs().Add(std::move(running)));
}

val GenerationTraceResult(int handle) {
  Running* const job = Jobs().Get(handle);
  if (job == nullptr || job->trace == nullptr) return NoSuch("job");
  val value = EncodingValue(*job->generator, job->trace->encoding(), job->inputs.front());
  Set(value, "logProbs", TypedArray(job->trace->log_probs()));
  Set(value, "alternatives", GuessesValue(*job->generator, job->trace->alternatives()));
  Set(value, "decoderSelf", MapValue(job->trace->attention()));
  return value;
}

val StepJob(int handle) {
  const Running* const job = Jobs().Get(handle);
  if (job == nullptr) return NoSuch("job");
  if (job->encode) return Stepped(*job->encode);
  return Stepped(job->generate ? static_cast<Job&>(*job->generate) : *job->trace);
}

}  // namespace

EMSCRIPTEN_BINDINGS(qkv_one_sided) {
  using emscripten::function;
  function("encodeStart", &EncodeStart);
  function("encodeResult", &EncodeResult);
  function("generateStart", &GenerateStart);
  function("generateText", &GenerateText);
  function("generateResult", &GenerateResult);
  function("generationTraceStart", &GenerationTraceStart);
  function("generationTraceResult", &GenerationTraceResult);
  function("oneSidedStep", &StepJob);
  function("oneSidedFree", +[](int handle) { Jobs().Free(handle); });
}

}  // namespace qkv::wasm
