// The largest inputs of a model's products, for engines that quantise them by factors from a file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/threads.h"
#include "core/translate/model.h"

namespace qkv {

// The largest |x| of each product x W', by the address of the floats of W, over these texts and the model's own
// translations of them. Errors: kUnsupported for a model of int8.
Result<std::map<const float*, float>> LargestInputs(TranslationModel& model, const std::vector<std::string>& texts,
                                                    ThreadPool& pool);

}  // namespace qkv
