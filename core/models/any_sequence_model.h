// Makes the sequence-to-sequence model that config.json names.
#pragma once

#include <memory>
#include <string_view>

#include "core/base/error.h"
#include "core/models/sequence_model.h"

namespace qkv {

// Whether config.json describes a recurrent model (core/models/rnn_config.h). If not, the Transformer's config is
// parsed.
Result<bool> IsRecurrent(std::string_view config);

// A model without weights; the caller fills its Slots. Errors: kUnsupported names an unknown model_type; those of its
// config.
Result<std::unique_ptr<SequenceModel>> MakeSequenceModel(std::string_view config);
// The same for Transformers only, so that a program without recurrent models does not link them.
Result<std::unique_ptr<SequenceModel>> MakeTransformer(std::string_view config);
using MakeModel = Result<std::unique_ptr<SequenceModel>> (*)(std::string_view config);

}  // namespace qkv
