// A run that begins with what another model has learnt.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/train/parameters.h"

namespace qkv {

// The weights of the model folder `from` into `parameters`, which have been initialised. With the same vocab.json all
// of them; with another one the tables' rows of those pieces that both vocabularies write alike, and all that is not of
// a piece: what a model knows of one language helps it with the next (Zoph et al. 2016, "Transfer learning for
// low-resource neural machine translation"). `vocabulary`: this run's vocab.json.
// Errors: those of LoadFolder; kUnsupported for int8; kInvalidArgument where shapes differ otherwise.
Result<void> BeginFrom(const std::string& from, const std::string& vocabulary, Parameters& parameters);

// The same for models that only read, or only write: `tokenizer`, this run's tokenizer.json, must be theirs. Weights
// that only one of the two has stay as they are: a head of another task is learnt anew (Devlin et al. 2018,
// section 3.2). Errors: those of LoadAnyFolder; kInvalidArgument for another tokenizer, other shapes, and where nothing
// is shared.
Result<void> BeginFromOneSided(const std::string& from, std::string_view tokenizer, Parameters& parameters);

}  // namespace qkv
