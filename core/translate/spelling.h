// Makes the text from the pieces of a translation, and inserts the carried parts of the source.
#pragma once

#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/translate/carried_source.h"

namespace qkv {

// A carried part: its bytes in the source and in the translation, half-open.
struct CopiedSpan {
  size_t source_begin = 0, source_end = 0, target_begin = 0, target_end = 0;
  bool by_model = false;  // the model read and wrote it unchanged
};

struct Spelling {
  std::string text;
  std::vector<CopiedSpan> copied;  // in the source's order
  // Whether the text has each part once. If not, some parts are missing.
  bool is_whole = true;
};

// `ids` is a translation of source.tokens(). `alignment`, [1, 1, ids, source.tokens()], gives the place of a part that
// is missing or occurs twice. If all its weights are 0, as for a model without attention, the part is put at the end.
// Without an alignment the part is left out, and `is_whole` is false. `tokens`, if not null, gets the pieces with their
// spans in the text.
Spelling Spell(const TranslationModel& model, const CarriedSource& source, const std::vector<int32_t>& ids,
               const AttentionMap* alignment = nullptr, Tokens* tokens = nullptr);

}  // namespace qkv
