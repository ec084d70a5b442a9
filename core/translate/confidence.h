// How far a translation can be trusted, by the probabilities of its pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/decode/beam.h"
#include "core/translate/spelling.h"

namespace qkv {

// From 0 to 1: the geometric mean of the pieces' probabilities, </s> included (natural logarithms, their sum). What it
// says about quality was measured: web/docs/carried.md.
float Confidence(float log_prob, size_t pieces);

// Whether a source of `bytes` does not look like the model's source language: the vocabulary cuts it into far smaller
// pieces than usual and the confidence is low, or the translation repeats the source.
bool LooksForeign(const Tokens& source, size_t bytes, const std::vector<int32_t>& target, float confidence);

// "length" or "repetition"; null where a translation was not cut.
const char* NameOf(Cut cut);

// What a reader should know of a translation: "copied", something that the model cannot translate was carried through;
// "truncated", the end of the source was not read; "repetition", it repeated itself, and was cut; "source-language",
// the source does not look like the language that the model reads.
std::vector<const char*> Warnings(const std::vector<CopiedSpan>& copied, bool truncated, Cut cut, bool foreign);

// How many of a translation's first pieces to keep, </s> not counted: fewer than all where its end repeats a phrase
// many times, or where a short translation is one phrase twice, and the source does not repeat itself. The search
// itself ends only long loops (core/decode/beam.h).
size_t WithoutRepetition(const std::vector<int32_t>& source, const std::vector<int32_t>& target);

}  // namespace qkv
