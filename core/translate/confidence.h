// How far a translation is to be trusted, by what the model and its pieces say of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/translate/spelling.h"

namespace qkv {

// From 0 to 1: the geometric mean of the pieces' probabilities, </s> included (natural logarithms, their sum). What it
// says about quality was measured: web/docs/carried.md.
float Confidence(float log_prob, size_t pieces);

// Whether a source of `bytes` does not look like the language that the model reads: its vocabulary cuts the text into
// far smaller pieces than text that it was made for, and the model is in doubt; or the translation is the source again.
bool LooksForeign(const Tokens& source, size_t bytes, const std::vector<int32_t>& target, float confidence);

// What a reader should know of a translation: "copied", something that the model cannot translate was carried through;
// "truncated", the end of the source was not read; "repetition", it went on repeating itself, and was cut;
// "source-language", the source does not look like the language that the model reads.
std::vector<const char*> Warnings(const std::vector<CopiedSpan>& copied, bool truncated, bool repeats, bool foreign);

// How many of a translation's first pieces are no repetition: all of them, or fewer where its end, or all of it, is
// said again and again, and the source is not. </s> is no piece of either.
size_t WithoutRepetition(const std::vector<int32_t>& source, const std::vector<int32_t>& target);

}  // namespace qkv
