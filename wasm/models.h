// Models by handle, and functions that several bindings share.
#pragma once

#include <emscripten/val.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/job.h"
#include "core/translate/model.h"

namespace qkv {
class EncoderModel;
class GeneratorModel;
}  // namespace qkv

namespace qkv::wasm {

// Null for an unknown handle, or a model of another kind. Each program defines these functions for its models:
// wasm/translation_models.cc, wasm/any_models.cc, wasm/training.cc.
const TranslationModel* ModelAt(int handle);
const EncoderModel* EncoderAt(int handle);
const GeneratorModel* GeneratorAt(int handle);

// Adds {dModel, ...}: the properties of the model, without its size.
void AddTranslationInfo(emscripten::val& info, const TranslationModel& model);
// {parameters, bytes, dModel, ...}: the same with its size.
emscripten::val TranslatorInfo(const TranslationModel& model);

// {text, pieces, ids, begin, end}: `begin` and `end` are half-open UTF-16 ranges of the text.
emscripten::val TokensValue(const TranslationModel& model, const std::string& text, const Tokens& tokens, Side which);

// Runs one step of a job: returns whether it is done, or its error.
emscripten::val Stepped(Job& job);

// [[layer, head], ...]
emscripten::val HeadsValue(const std::vector<std::pair<size_t, size_t>>& heads);

}  // namespace qkv::wasm
