// The trace as JSON in the layout qkv-trace/1: for each kind of attention one array [layer][head][target][source] with
// its shape.
#pragma once

#include <string>
#include <string_view>

#include "core/translate/replay.h"

namespace qkv::cli {

// One line of JSON; the texts of the replay must be valid UTF-8. Spans are half-open byte ranges of the texts in UTF-8
// ("spans": "utf-8"). `interventions`: the description of the interventions of the pass, valid JSON; empty: none.
std::string TraceJson(const TranslationModel& model, const Replay& replay, std::string_view interventions = {});

}  // namespace qkv::cli
