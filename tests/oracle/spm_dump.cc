// Prints the results of our SentencePiece for every line of standard input, for sentencepiece_parity.py:
//   ID:BEGIN:END ...        of Encode, in bytes of the line
//   BEGIN:END ... TAB TEXT  of Decode of those ids, in bytes of its text, with \\, \n, \t and \r escaped
// Lines end at \n only, so a line may hold every other byte, NUL included.
//
// usage: spm_dump MODEL < TEXT, or spm_dump --ids MODEL < LINES_OF_IDS, which prints the second line only.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "core/text/sentencepiece.h"

namespace {

std::vector<uint8_t> ReadFile(const char* path) {
  std::vector<uint8_t> bytes;
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return bytes;
  uint8_t buffer[1 << 16];
  for (size_t n; (n = std::fread(buffer, 1, sizeof(buffer), file)) > 0;) bytes.insert(bytes.end(), buffer, buffer + n);
  std::fclose(file);
  return bytes;
}

bool ReadLine(std::string* line) {
  line->clear();
  int c;
  while ((c = getc_unlocked(stdin)) != EOF && c != '\n') *line += static_cast<char>(c);
  return c != EOF || !line->empty();
}

void AppendNumber(size_t value, std::string* out) {
  char digits[20];
  out->append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

void AppendSpan(const qkv::Piece& piece, std::string* out) {
  AppendNumber(piece.begin, out);
  *out += ':';
  AppendNumber(piece.end, out);
}

void AppendEscaped(const std::string& text, std::string* out) {
  for (const char c : text) {
    if (c == '\\')
      *out += "\\\\";
    else if (c == '\n')
      *out += "\\n";
    else if (c == '\t')
      *out += "\\t";
    else if (c == '\r')
      *out += "\\r";
    else
      *out += c;
  }
}

void AppendDecoded(const qkv::SentencePiece& model, const std::vector<int32_t>& ids, std::string* out) {
  std::vector<qkv::Piece> spans;
  const std::string text = model.Decode(ids, &spans);
  for (size_t i = 0; i < spans.size(); ++i) {
    if (i > 0) *out += ' ';
    AppendSpan(spans[i], out);
  }
  *out += '\t';
  AppendEscaped(text, out);
  *out += '\n';
}

void AppendEncoded(const std::vector<qkv::Piece>& pieces, std::string* out) {
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) *out += ' ';
    AppendNumber(static_cast<size_t>(pieces[i].id), out);
    *out += ':';
    AppendSpan(pieces[i], out);
  }
  *out += '\n';
}

std::vector<int32_t> ParseIds(const std::string& line) {
  std::vector<int32_t> ids;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at < end) {
    int32_t id = 0;
    const auto [after, error] = std::from_chars(at, end, id);
    if (error == std::errc()) ids.push_back(id);
    at = after == at ? at + 1 : after;
  }
  return ids;
}

}  // namespace

int main(int argc, char** argv) {
  const bool from_ids = argc == 3 && std::string_view(argv[1]) == "--ids";
  if (argc != 2 && !from_ids) {
    std::fputs("usage: spm_dump [--ids] MODEL < LINES\n", stderr);
    return 2;
  }
  auto model = qkv::SentencePiece::Parse(ReadFile(argv[argc - 1]), argv[argc - 1]);
  if (!model) {
    std::fprintf(stderr, "%s\n", model.error().ToString().c_str());
    return 1;
  }
  double encoding = 0;
  size_t count = 0;
  for (std::string line, out; ReadLine(&line); out.clear()) {
    std::vector<int32_t> ids;
    if (from_ids) {
      ids = ParseIds(line);
    } else {
      const auto start = std::chrono::steady_clock::now();
      const std::vector<qkv::Piece> pieces = model->Encode(line);
      encoding += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      for (const qkv::Piece& piece : pieces) ids.push_back(piece.id);
      AppendEncoded(pieces, &out);
      count += pieces.size();
    }
    AppendDecoded(*model, ids, &out);
    std::fwrite(out.data(), 1, out.size(), stdout);
  }
  if (!from_ids) std::fprintf(stderr, "%zu pieces in %.2f s\n", count, encoding);
}
