// Calibration: what the matrices of a model multiply when it translates. Engines that quantise inputs by factors from a
// file need the largest of them; GPTQ (core/train/gptq.h) needs their products with each other.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/matrix.h"
#include "core/base/threads.h"
#include "core/translate/model.h"

namespace qkv {

// A text and the model's own translation of it, as pieces.
struct CalibrationText {
  std::vector<int32_t> source;
  std::vector<int32_t> target;  // the decoder's input: the start, then the translation without </s>
};

// Errors: kUnsupported for a model of int8.
Result<std::vector<CalibrationText>> TranslateForCalibration(TranslationModel& model,
                                                             const std::vector<std::string>& texts, ThreadPool& pool);

// Runs a forward with teacher forcing over each text. `see` gets the address of the floats of W and x [rows, inputs] of
// each product x W'.
void ForEachProduct(const TranslationModel& model, std::span<const CalibrationText> texts, ThreadPool& pool,
                    const std::function<void(const float* weights, ConstMatrixView x)>& see);

// The largest |x| of each product x W', by the address of the floats of W, over these texts and the model's own
// translations of them. Errors: kUnsupported for a model of int8.
Result<std::map<const float*, float>> LargestInputs(TranslationModel& model, const std::vector<std::string>& texts,
                                                    ThreadPool& pool);

}  // namespace qkv
