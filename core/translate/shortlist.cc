#include "core/translate/shortlist.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/budget.h"

namespace qkv {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is read as it lies");

constexpr uint64_t kMagic = 0xF11A48D5013417F5;
constexpr size_t kLargestFile = size_t{64} << 20;
constexpr size_t kHeader = 48, kBody = 16;  // bytes of the header, and of its part that the checksum does not cover
constexpr size_t kWord = sizeof(uint64_t);

uint64_t WordAt(std::span<const uint8_t> bytes, size_t offset) {
  uint64_t word;
  std::memcpy(&word, bytes.data() + offset, kWord);
  return word;
}

// Marian's checksum over words of 64 bits. It ignores the last four bytes if the body is not a multiple of eight bytes.
uint64_t Checksum(std::span<const uint8_t> body) {
  uint64_t sum = 0;
  for (size_t at = 0; at + kWord <= body.size(); at += kWord) {
    sum ^= WordAt(body, at) + 0x9e3779b9 + (sum << 6) + (sum >> 2);
  }
  return sum;
}

struct Header {
  uint64_t magic, checksum, first, best, offsets, pieces;
};
static_assert(sizeof(Header) == kHeader);

class Parser {
 public:
  Parser(std::span<const uint8_t> file, std::string_view file_name) : file_(file), file_name_(file_name) {}

  Result<Header> ReadHeader(size_t source_vocabulary) const;
  Result<std::vector<uint32_t>> ReadOffsets(const Header& header) const;
  Result<std::vector<uint32_t>> ReadPieces(const Header& header, size_t target_vocabulary) const;

 private:
  Error Invalid(std::string message) const {
    return {ErrorCode::kInvalidFile, std::move(message), std::string(file_name_)};
  }
  std::span<const uint8_t> file_;
  std::string_view file_name_;
};

Result<Header> Parser::ReadHeader(size_t source_vocabulary) const {
  // The header, and whether the sizes that it names are those of the file.
  if (file_.size() > kLargestFile) {
    return Error{ErrorCode::kLimitExceeded, "the file is over 64 MiB", std::string(file_name_)};
  }
  if (file_.size() < kHeader) return Invalid("it is too short for a shortlist: fetch the file again");
  Header header;
  std::memcpy(&header, file_.data(), kHeader);
  if (header.magic != kMagic) return Invalid("it is no binary shortlist of Marian's");
  const size_t available = file_.size() - kHeader;
  // Each is checked by itself first, so that the sum cannot overflow.
  if (header.offsets > available / kWord || header.pieces > available / sizeof(uint32_t) ||
      header.offsets * kWord + header.pieces * sizeof(uint32_t) != available) {
    return Invalid("it has " + std::to_string(file_.size()) + " bytes, and its header promises another number: fetch " +
                   "the file again");
  }
  // Checks that the content is complete and fits this model.
  if (Checksum(file_.subspan(kBody)) != header.checksum) {
    return Invalid("its checksum is wrong: fetch the file again");
  }
  if (header.offsets != source_vocabulary + 1 && header.offsets != source_vocabulary) {
    return Invalid("it is for a vocabulary of " + std::to_string(header.offsets == 0 ? 0 : header.offsets - 1) +
                   " pieces; config.json says " + std::to_string(source_vocabulary));
  }
  return header;
}

// List r is pieces [offset r, offset r + 1), so offsets must begin at 0, never fall, and end with the pieces.
Result<std::vector<uint32_t>> Parser::ReadOffsets(const Header& header) const {
  std::vector<uint32_t> offsets;
  offsets.reserve(header.offsets);
  for (size_t row = 0; row < header.offsets; ++row) {
    const uint64_t offset = WordAt(file_, kHeader + row * kWord);
    if (offset < (row == 0 ? 0 : offsets.back()) || offset > header.pieces || (row == 0 && offset != 0)) {
      return Invalid("the list of row " + std::to_string(row) + " does not begin where the one before it ends");
    }
    offsets.push_back(static_cast<uint32_t>(offset));
  }
  if (offsets.empty() || offsets.back() != header.pieces) return Invalid("its last list does not end with the file");
  return offsets;
}

Result<std::vector<uint32_t>> Parser::ReadPieces(const Header& header, size_t target_vocabulary) const {
  std::vector<uint32_t> pieces(header.pieces);
  if (!pieces.empty()) {
    std::memcpy(pieces.data(), file_.data() + kHeader + header.offsets * kWord, pieces.size() * sizeof(uint32_t));
  }
  for (const uint32_t piece : pieces) {
    if (piece < target_vocabulary) continue;
    return Invalid("it lists piece " + std::to_string(piece) + " of a vocabulary of " +
                   std::to_string(target_vocabulary));
  }
  return pieces;
}

}  // namespace

Result<Shortlist> Shortlist::Parse(std::span<const uint8_t> file, size_t source_vocabulary, size_t target_vocabulary,
                                   std::string_view file_name) {
  // The header has been checked against the file's size, so the lists take exactly this memory.
  const Parser parser(file, file_name);
  QKV_TRY(const Header header, parser.ReadHeader(source_vocabulary));
  QKV_CHECK(CheckMemory(file.size() + uint64_t{12} * source_vocabulary, kTooLarge, file_name));
  Shortlist shortlist;
  QKV_TRY(shortlist.begin_, parser.ReadOffsets(header));
  QKV_TRY(shortlist.pieces_, parser.ReadPieces(header, target_vocabulary));
  // A model's last row may have no list: Marian adds <pad> to the vocabulary.
  shortlist.begin_.resize(source_vocabulary + 1, shortlist.begin_.back());
  shortlist.first_ = static_cast<size_t>(std::min<uint64_t>(header.first, target_vocabulary));
  shortlist.target_vocabulary_ = target_vocabulary;
  return shortlist;
}

std::vector<int32_t> Shortlist::Pieces(std::span<const int32_t> source, std::span<const int32_t> always,
                                       size_t multiple) const {
  // The frequent pieces, those of each source piece, and those that are always wanted.
  std::vector<uint8_t> listed(target_vocabulary_);
  std::fill_n(listed.begin(), first_, true);
  for (const int32_t row : source) {
    const auto s = static_cast<size_t>(row);
    for (uint32_t at = begin_[s]; at < begin_[s + 1]; ++at) listed[pieces_[at]] = true;
  }
  for (const int32_t piece : always) listed[static_cast<size_t>(piece)] = true;
  // Marian fills up to a multiple with the first pieces that are not listed yet.
  auto count = static_cast<size_t>(std::count(listed.begin(), listed.end(), true));
  for (size_t piece = first_; piece < listed.size() && count % multiple != 0; ++piece) {
    if (!listed[piece]) ++count;
    listed[piece] = true;
  }
  // In ascending order, in which a search finds them by bisection.
  std::vector<int32_t> pieces;
  for (size_t piece = 0; piece < listed.size(); ++piece) {
    if (listed[piece]) pieces.push_back(static_cast<int32_t>(piece));
  }
  return pieces;
}

std::vector<uint8_t> WriteShortlist(const ShortlistContent& content) {
  // The header comes last: the checksum is over its second half too.
  std::vector<uint64_t> offsets = {0};
  std::vector<uint32_t> pieces;
  for (const std::vector<int32_t>& list : content.lists) {
    pieces.insert(pieces.end(), list.begin(), list.end());
    offsets.push_back(pieces.size());
  }
  Header header{kMagic, 0, content.first, content.best, offsets.size(), pieces.size()};
  std::vector<uint8_t> file(kHeader);
  const auto append = [&](const auto& numbers) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(numbers.data());
    file.insert(file.end(), bytes, bytes + numbers.size() * sizeof(numbers[0]));
  };
  append(offsets);
  append(pieces);
  std::memcpy(file.data(), &header, kHeader);
  header.checksum = Checksum(std::span(file).subspan(kBody));
  std::memcpy(file.data(), &header, kHeader);
  return file;
}

}  // namespace qkv
