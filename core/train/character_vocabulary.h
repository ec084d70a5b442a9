// A vocabulary of single characters, for training in a page: no subwords have to be learned first.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace qkv {

struct CharacterVocabulary {
  std::string source_spm;  // a SentencePiece model whose pieces are characters; for both sides
  std::string vocabulary;  // vocab.json: </s>, <unk>, the characters by code point, <pad>
};

// Makes it from all characters of `text` (UTF-8) except line ends and tabs. A space is U+2581, as SentencePiece writes
// it. Errors: kInvalidArgument if there are none, kLimitExceeded for more than 65,536 different ones.
Result<CharacterVocabulary> MakeCharacterVocabulary(std::string_view text);

}  // namespace qkv
