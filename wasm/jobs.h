// Functions that the bindings of several jobs share.
#pragma once

#include <emscripten/val.h>

#include <optional>
#include <string>

#include "core/translate/decode_options.h"
#include "core/translate/replay.h"

namespace qkv::wasm {

// {beam, maxLength, nBest, tree, prefix, shortlist, copy, align, interventions, sentence}: all optional.
Result<DecodeOptions> ParseOptions(const TranslationModel& model, const emscripten::val& options);

// Reads a text, or [text, part, translation of the part, text, ...].
std::string ReadText(const emscripten::val& value, DecodeOptions& options);

// A source, its target and options, for a replay. Without a target the model translates first.
struct PairRequest {
  std::string source;
  std::optional<std::string> target;
  DecodeOptions decode;
};
Result<PairRequest> ReadPair(const TranslationModel& model, const emscripten::val& source,
                             const emscripten::val& target, const emscripten::val& options);

// {source, target: {..., logProbs}, score}
emscripten::val PairValue(const TranslationModel& model, const Replay& replay);

}  // namespace qkv::wasm
