// The content of a .spm file: the fields of SentencePiece's ModelProto (sentencepiece_model.proto) that are needed for
// encoding and decoding. Sampling, training settings and self-tests are skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace qkv {

enum class PieceType : uint8_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

struct NormalizerOptions {
  // a space is put before the text, so that its first word has the same piece as elsewhere
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;  // removes leading, trailing and repeated spaces
  bool escape_whitespaces = true;        // a space becomes U+2581
  bool whitespace_as_suffix = false;     // the dummy space is put after the text
};

inline constexpr size_t kLargestSpm = size_t{32} << 20;  // bytes of a file

struct SpmFile {
  enum class Algorithm : uint8_t { kUnigram = 1, kBpe = 2, kWord = 3, kCharacter = 4 };

  Algorithm algorithm = Algorithm::kUnigram;
  bool byte_fallback = false;
  std::string unknown_surface = " \xE2\x81\x87 ";  // U+2047
  NormalizerOptions normalizer;
  std::span<const uint8_t> charsmap;  // a view of the file; empty: no rules

  // [pieces]; the text of piece i is piece_text from piece_ends[i - 1] (0 for the first) to piece_ends[i].
  std::string piece_text;
  std::vector<uint32_t> piece_ends;
  std::vector<float> scores;
  std::vector<PieceType> types;
};

// Errors: kInvalidFile; kUnsupported for word and character models and for one with a denormaliser; kLimitExceeded for
// a file over 32 MiB and for pieces over 1,024 bytes, which would make the time quadratic in the length of the text.
// `SpmFile::charsmap` points into `file`.
Result<SpmFile> ParseSpm(std::span<const uint8_t> file, std::string_view file_name);

}  // namespace qkv
