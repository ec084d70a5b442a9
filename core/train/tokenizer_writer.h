// A SentencePiece model as tokenizer.json, for models in BERT's and in GPT-2's layouts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace qkv {

// The kind of model: the texts of an encoder stand between [CLS] and [SEP], and it has [MASK] and [PAD]. The texts of a
// decoder begin and end with <|endoftext|>.
enum class ReadBy { kEncoder, kDecoder };

// How many pieces a tokenizer has beside those of its SentencePiece model.
constexpr size_t PiecesAdded(ReadBy reader) { return reader == ReadBy::kEncoder ? 3 : 0; }

// `spm`: the content of a unigram model whose piece 0 is </s>, as `qkv vocab` learns it. Errors: kUnsupported for
// another one, kInvalidFile.
Result<std::string> TokenizerJson(std::span<const uint8_t> spm, std::string_view file_name, ReadBy reader);

}  // namespace qkv
