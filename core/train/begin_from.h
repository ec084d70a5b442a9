// Starts a run from the weights of another model.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/train/parameters.h"

namespace qkv {

// Copies the weights of the model folder `from` to `parameters`, which have been initialised. With the same vocab.json
// all weights are copied. With another one, all weights that do not belong to a piece, and the rows of the pieces that
// both vocabularies have (Zoph et al. 2016, "Transfer learning for low-resource neural machine translation").
// `vocabulary`: this run's vocab.json.
// Errors: those of LoadFolder; kUnsupported for int8; kInvalidArgument where shapes differ otherwise.
Result<void> BeginFrom(const std::string& from, const std::string& vocabulary, Parameters& parameters);

// The same for encoders and decoders alone: `tokenizer`, this run's tokenizer.json, must be the same as theirs. Weights
// that only one of the two models has keep their initial values: the head of another task is trained from the start
// (Devlin et al. 2018, section 3.2). Errors: those of LoadAnyFolder; kInvalidArgument for another tokenizer, for other
// shapes, and if no weight is shared.
Result<void> BeginFromOneSided(const std::string& from, std::string_view tokenizer, Parameters& parameters);

}  // namespace qkv
