// How reliable a translation is, by the probabilities of its pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/decode/beam.h"
#include "core/translate/spelling.h"

namespace qkv {

// The geometric mean of the pieces' probabilities, </s> included, from 0 to 1. `log_prob` is the sum of their natural
// logarithms. web/docs/carried.md has measurements of how it relates to quality.
float Confidence(float log_prob, size_t pieces);

// Whether a source of `bytes` does not look like the model's source language: its pieces are much shorter than usual
// and the confidence is low, or the translation repeats most pieces of the source.
bool LooksForeign(const Tokens& source, size_t bytes, const std::vector<int32_t>& target, float confidence);

// "length" or "repetition"; null if a translation was not cut.
const char* NameOf(Cut cut);

// Warnings about a translation. "copied": a part that cannot be translated was carried through. "truncated": the end of
// the source was not read. "repetition": the translation repeated itself and was cut. "source-language": the source
// does not look like the language that the model reads.
std::vector<const char*> Warnings(const std::vector<CopiedSpan>& copied, bool truncated, Cut cut, bool foreign);

// The number of a translation's first pieces to keep, </s> not counted. It is less than all if the end repeats a phrase
// many times, or if a short translation is one phrase twice, and the source does not repeat itself. The search itself
// ends only long loops (core/decode/beam.h).
size_t WithoutRepetition(const std::vector<int32_t>& source, const std::vector<int32_t>& target);

}  // namespace qkv
