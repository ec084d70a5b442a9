// A SentencePiece model as tokenizer.json, for models in BERT's and in GPT-2's layouts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace qkv {

// What reads the tokenizer's pieces: an encoder has [CLS] and [SEP] put around its texts, and knows [MASK] and [PAD]; a
// decoder begins and ends its texts by <|endoftext|>.
enum class ReadBy { kEncoder, kDecoder };

// How many pieces a tokenizer has beside those of its SentencePiece model.
constexpr size_t PiecesAdded(ReadBy reader) { return reader == ReadBy::kEncoder ? 3 : 0; }

// `spm`: the content of a unigram model whose piece 0 is </s>, as `qkv vocab` learns it. Errors: kUnsupported for
// another one, kInvalidFile.
Result<std::string> TokenizerJson(std::span<const uint8_t> spm, std::string_view file_name, ReadBy reader);

}  // namespace qkv
