// What the bindings of jobs over a source share.
#pragma once

#include <emscripten/val.h>

#include <string>

#include "core/translate/job.h"

namespace qkv::wasm {

// {beam, maxLength, nBest, tree, prefix, shortlist, copy, align, interventions, sentence}: all optional.
Result<DecodeOptions> ParseOptions(const TranslationModel& model, const emscripten::val& options);

// Reads a text, or [text, part, translation of the part, text, ...].
std::string ReadText(const emscripten::val& value, DecodeOptions& options);

}  // namespace qkv::wasm
