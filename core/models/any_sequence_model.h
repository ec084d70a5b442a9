// The models that turn one sequence of pieces into another, by what config.json calls them.
#pragma once

#include <memory>
#include <string_view>

#include "core/base/error.h"
#include "core/models/sequence_model.h"

namespace qkv {

// Whether config.json is of a recurrent model (core/models/rnn_config.h); else it is for a Transformer to judge.
Result<bool> IsRecurrent(std::string_view config);

// A model without weights: its Slots are to be filled. Errors: kUnsupported names a model_type that is none of them;
// those of its config.
Result<std::unique_ptr<SequenceModel>> MakeSequenceModel(std::string_view config);
// The same of Transformers alone: a program that makes no others links no others.
Result<std::unique_ptr<SequenceModel>> MakeTransformer(std::string_view config);
using MakeModel = Result<std::unique_ptr<SequenceModel>> (*)(std::string_view config);

}  // namespace qkv
