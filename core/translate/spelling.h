// Pieces to a text, with what the source carries put in.
#pragma once

#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/translate/carried_source.h"

namespace qkv {

// Bytes of the source, and where they, or what stands for them, are in the translation; half-open.
struct CopiedSpan {
  size_t source_begin = 0, source_end = 0, target_begin = 0, target_end = 0;
  bool by_model = false;  // the model read and wrote it as it is
};

struct Spelling {
  std::string text;
  std::vector<CopiedSpan> copied;  // in the source's order
  // Everything that is to be carried is there, once. Without it the text is what it would be without those parts.
  bool is_whole = true;
};

// `ids` is a translation of what the source is read as. What they do not have, or have twice, is put where `alignment`,
// [1, 1, ids, source.tokens()], says; without one it is left out, and the spelling says so. Where the weights are none,
// as of a model without attention, it goes to the end. `tokens`, if not null, gets the pieces with their spans in the
// text.
Spelling Spell(const TranslationModel& model, const CarriedSource& source, const std::vector<int32_t>& ids,
               const AttentionMap* alignment = nullptr, Tokens* tokens = nullptr);

}  // namespace qkv
