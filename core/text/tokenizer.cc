#include "core/text/tokenizer.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/text/byte_level.h"
#include "core/text/tokenizer_parts.h"
#include "core/text/trim.h"
#include "core/text/utf.h"

namespace qkv {
namespace {

using Parts = TokenizerParts;

// A text that has been cut into words. Word i ends at ends[i] and begins where the word before it ends. White space
// that was dropped is not in the text.
struct Words {
  SpannedText text;
  std::vector<size_t> ends;
};

// Cuts at white space, which is dropped, and with `punctuation` around each mark.
Words SplitForBert(const SpannedText& text, bool punctuation) {
  Words words;
  const auto end_word = [&] {
    if (words.text.size() != (words.ends.empty() ? 0 : words.ends.back())) words.ends.push_back(words.text.size());
  };
  for (size_t i = 0; i < text.size();) {
    const Decoded one = DecodeOne(std::string_view(text.text).substr(i));
    const uint32_t c = one.code_point;
    const bool ascii = (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
    const bool alone = punctuation && (ascii || FactsOf(c).kind == CharKind::kPunctuation);
    if (alone || IsWhite(c)) end_word();
    if (!IsWhite(c)) words.text.Add(text, i, i + one.length);
    if (alone) end_word();
    i += one.length;
  }
  end_word();
  return words;
}

// The text with a prefix, unless it is empty or has it already.
SpannedText WithPrefix(SpannedText text, std::string_view prefix) {
  if (text.size() == 0 || text.text.starts_with(prefix)) return text;
  SpannedText with;
  with.Add(prefix, text.begin[0], text.end[0]);  // a piece that is only the prefix stands for the first character
  with.Add(text, 0, text.size());
  return with;
}

// GPT-2's words: a space belongs to the word after it.
Words SplitByteLevel(SpannedText text, const WordStep& step) {
  Words words;
  words.text = step.prefix == WordStep::Prefix::kAlways ? WithPrefix(std::move(text), " ") : std::move(text);
  const std::string_view all = words.text.text;
  for (size_t i = 0; i < all.size();) {
    i += step.split ? FirstWordLength(all.substr(i)) : all.size();
    words.ends.push_back(i);
  }
  return words;
}

// Spaces become U+2581, and words begin at them.
Words SplitMetaspace(const SpannedText& text, const WordStep& step) {
  Words words;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.text[i] == ' ') {
      words.text.Add(step.space, text.begin[i], text.end[i]);
    } else {
      words.text.Add(text, i, i + 1);
    }
  }
  const bool first = text.size() != 0 && text.begin[0] == 0;
  if (step.prefix == WordStep::Prefix::kAlways || (step.prefix == WordStep::Prefix::kFirst && first)) {
    words.text = WithPrefix(std::move(words.text), step.space);
  }
  const std::string_view all = words.text.text;
  for (size_t at = 0; at < all.size();) {
    const size_t next = step.split ? all.find(step.space, at + 1) : std::string_view::npos;
    at = std::min(next, all.size());
    words.ends.push_back(at);
  }
  return words;
}

Words Split(SpannedText text, const WordStep& step) {
  switch (step.kind) {
    case WordStep::Kind::kBert:
      return SplitForBert(text, true);
    case WordStep::Kind::kWhitespace:
      return SplitForBert(text, false);
    case WordStep::Kind::kByteLevel:
      return SplitByteLevel(std::move(text), step);
    case WordStep::Kind::kMetaspace:
      return SplitMetaspace(text, step);
  }
  return {};
}

Words SplitAll(SpannedText text, const std::vector<WordStep>& steps) {
  Words words;
  // At first the whole text is one word. Each step splits all words.
  words.ends.push_back(text.size());
  words.text = std::move(text);
  bool lacks_end = words.text.cut;
  for (const WordStep& step : steps) {
    Words next;
    size_t begin = 0;
    for (const size_t end : words.ends) {
      SpannedText word;
      word.Add(words.text, begin, end);
      // The parts of a word are appended, up to the longest text.
      const Words parts = Split(std::move(word), step);
      const size_t before = next.text.size();
      next.text.Add(parts.text, 0, parts.text.size());
      lacks_end |= parts.text.cut || next.text.cut;
      for (const size_t part_end : parts.ends) {
        const size_t at = std::min(before + part_end, next.text.size());
        if (at > (next.ends.empty() ? 0 : next.ends.back())) next.ends.push_back(at);
      }
      if (next.text.cut) break;
      begin = end;
    }
    words = std::move(next);
  }
  words.text.cut = lacks_end;
  return words;
}

// Byte-pair encoding (Sennrich et al. 2016): characters or bytes, then merges.
std::vector<Segment> CutPairs(std::string_view word, const Pairs& pairs, const Parts& parts) {
  std::vector<Segment> symbols;
  for (size_t i = 0; i < word.size();) {
    const size_t length = pairs.byte_level ? 1 : DecodeOne(word.substr(i)).length;
    int32_t id =
        pairs.byte_level ? pairs.bytes[static_cast<uint8_t>(word[i])] : parts.pieces.Find(word.substr(i, length));
    i += length;
    if (id < 0) id = pairs.unknown;
    const bool fused = pairs.fuse_unknown && id == pairs.unknown && !symbols.empty() && symbols.back().id == id;
    if (fused || (id < 0 && !symbols.empty())) {
      symbols.back().end = static_cast<uint32_t>(i);  // the span of a dropped character goes to the symbol before it
    } else if (id >= 0) {
      symbols.push_back({id, static_cast<uint32_t>(i)});
    }
  }
  return pairs.merges.Join(symbols);
}

// The pieces of a word by the model that the tokenizer has.
std::vector<Segment> CutWord(std::string_view word, const Parts& parts) {
  if (const auto* pieces = std::get_if<WordPiece>(&parts.model)) return pieces->Cut(word, parts.pieces);
  if (const auto* pairs = std::get_if<Pairs>(&parts.model)) return CutPairs(word, *pairs, parts);
  // Unigram (Kudo 2018). Unknown characters in a row are one piece.
  const auto& [vocabulary, unigram] = **std::get_if<std::unique_ptr<std::pair<Vocabulary, Unigram>>>(&parts.model);
  std::vector<Segment> cut;
  for (const Segment& segment : unigram.Cut(word, vocabulary)) {
    const bool unknown = segment.id == vocabulary.unknown_id();
    if (unknown && !cut.empty() && cut.back().id == segment.id) {
      cut.back().end = segment.end;
    } else {
      cut.push_back(segment);
    }
  }
  return cut;
}

// The longest added piece that `text` begins with, or null.
const AddedPiece* AddedAt(std::string_view text, const Parts::Added& added) {
  const size_t length = added.trie.LongestPrefix(text);
  return length == 0 ? nullptr : &added.pieces[static_cast<size_t>(added.trie.Find(text.substr(0, length)))];
}

// Calls part(begin, end) for each text between added pieces and found(piece, begin, end) for each added piece, in
// order.
template <class Part, class Found>
void SplitAdded(std::string_view text, const Parts::Added& added, const Part& part, const Found& found) {
  size_t done = 0;
  for (size_t i = 0; i < text.size() && !added.pieces.empty();) {
    const AddedPiece* const piece = AddedAt(text.substr(i), added);
    if (piece == nullptr) {
      ++i;
      continue;
    }
    // The piece takes the white space beside it if it is defined so.
    size_t begin = i, end = i + piece->content.size();
    if (piece->takes_left) {
      while (begin > done) {
        const size_t before = CharacterBefore(text, done, begin);
        if (!IsWhite(DecodeOne(text.substr(before)).code_point)) break;
        begin = before;
      }
    }
    while (piece->takes_right && end < text.size()) {
      const Decoded one = DecodeOne(text.substr(end));
      if (!IsWhite(one.code_point)) break;
      end += one.length;
    }
    if (begin > done) part(done, begin);
    found(*piece, begin, end);
    done = i = end;
  }
  if (done < text.size()) part(done, text.size());
}

// Returns false if there are more pieces than wanted, or if the end of the text is missing.
bool AppendWords(SpannedText text, const Parts& parts, size_t most, std::vector<Piece>& pieces) {
  const Words words = SplitAll(std::move(text), parts.words);
  const std::string_view all = words.text.text;
  size_t begin = 0;
  for (const size_t end : words.ends) {
    if (pieces.size() > most) return false;
    size_t at = begin;
    for (const Segment& segment : CutWord(all.substr(begin, end - begin), parts)) {
      const size_t stop = begin + segment.end;
      pieces.push_back({segment.id, words.text.begin[at], words.text.end[stop - 1]});
      at = stop;
    }
    begin = end;
  }
  return !words.text.cut;
}

// How many special pieces are put around one text or two.
size_t PiecesAround(const std::vector<TemplateItem>& items) {
  return static_cast<size_t>(std::count_if(items.begin(), items.end(), [](const auto& item) { return item.id >= 0; }));
}

}  // namespace

Tokenizer::Tokenizer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

size_t Tokenizer::size() const { return parts_->spans.size(); }

std::string_view Tokenizer::Text(int32_t id) const {
  return id >= 0 && static_cast<size_t>(id) < size() ? parts_->Text(id) : std::string_view();
}

int32_t Tokenizer::Id(std::string_view piece) const { return piece.empty() ? -1 : parts_->pieces.Find(piece); }

bool Tokenizer::IsSpecial(int32_t id) const {
  return id >= 0 && static_cast<size_t>(id) < size() && parts_->special[static_cast<size_t>(id)];
}

Result<void> Tokenizer::CheckFits(size_t vocabulary, size_t positions) const {
  const auto fail = [](const std::string& message, const char* where) {
    return Error{ErrorCode::kInvalidFile, message, where};
  };
  if (size() > vocabulary) {
    return fail("the tokenizer has " + std::to_string(size()) + " pieces, and the model's vocab_size is " +
                    std::to_string(vocabulary),
                "tokenizer.json");
  }
  const size_t around = std::max(PiecesAround(parts_->single), PiecesAround(parts_->pair));
  if (around < positions) return {};
  return fail("it puts " + std::to_string(around) + " special pieces around a text, and the model reads " +
                  std::to_string(positions) + " pieces in all",
              "tokenizer.json, post_processor");
}

std::vector<Piece> Tokenizer::Pieces(std::string_view text, size_t most, bool* cut) const {
  std::vector<Piece> pieces;
  bool whole = true;  // until a part of the text is left out
  const auto wanted = [&] { return whole = whole && pieces.size() <= most; };
  const auto keeps_space = [&](size_t begin) { return KeepsSpace(*parts_, pieces.empty(), begin); };
  // A part without added pieces is rewritten. The result may contain pieces that are found after rewriting; the text
  // between them is cut into words.
  const auto raw_part = [&](size_t begin, size_t end) {
    if (!wanted()) return;
    const SpannedText part = Rewrite({text.substr(begin, end - begin), begin}, parts_->rewriting);
    SplitAdded(
        part.text, parts_->rewritten,
        [&](size_t from, size_t to) {
          if (!wanted()) return;
          SpannedText rest;
          rest.Add(part, from, to);
          whole = AppendWords(std::move(rest), *parts_, most, pieces);
        },
        [&](const AddedPiece& piece, size_t from, size_t to) {
          if (!wanted()) return;
          if (parts_->trims) std::tie(from, to) = WithoutWhite(part.text, from, to, keeps_space(part.begin[from]));
          pieces.push_back({piece.id, part.begin[from], part.end[to - 1]});
        });
    whole = whole && !part.cut;
  };
  // Added pieces are found first, in the text as it is given.
  SplitAdded(text, parts_->raw, raw_part, [&](const AddedPiece& piece, size_t begin, size_t end) {
    if (!wanted()) return;
    if (parts_->trims) std::tie(begin, end) = WithoutWhite(text, begin, end, keeps_space(begin));
    pieces.push_back({piece.id, begin, end});
  });
  // Spans without white space, and no more pieces than wanted.
  if (parts_->trims) TrimPieces(text, *parts_, pieces);
  if (pieces.size() > most) pieces.resize(most), whole = false;
  if (cut != nullptr) *cut = !whole;
  return pieces;
}

Encoding Tokenizer::Encode(std::string_view text, std::optional<std::string_view> second, size_t most) const {
  const std::vector<TemplateItem>& items = second ? parts_->pair : parts_->single;
  // The special pieces take their places first; the texts share the rest, and the longer text loses its last piece.
  const size_t around = PiecesAround(items);
  const size_t most_pieces = most > around ? most - around : 0;
  Encoding encoding;
  bool cut[2] = {};
  std::vector<Piece> texts[2] = {Pieces(text, most_pieces, &cut[0]),
                                 second ? Pieces(*second, most_pieces, &cut[1]) : std::vector<Piece>{}};
  encoding.truncated = cut[0] || cut[1];
  while (texts[0].size() + texts[1].size() > most_pieces) {
    texts[texts[1].size() > texts[0].size() ? 1 : 0].pop_back();
    encoding.truncated = true;
  }
  // Fills in the template.
  const auto add = [&](Piece piece, int32_t type, int32_t of) {
    encoding.ids.push_back(piece.id);
    encoding.types.push_back(type);
    encoding.begin.push_back(piece.begin);
    encoding.end.push_back(piece.end);
    encoding.text.push_back(of);
  };
  for (const TemplateItem& item : items) {
    if (item.id >= 0) {
      add({item.id, 0, 0}, item.type, -1);
    } else {
      for (const Piece& piece : texts[item.text]) add(piece, item.type, item.text);
    }
  }
  return encoding;
}

namespace {

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Hugging Face's clean_up_tokenization, one piece at a time.
void CleanUp(std::string& piece) {
  constexpr std::string_view kRules[][2] = {{" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
                                            {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
                                            {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : kRules) ReplaceAll(piece, from, to);
}

// The text of a piece. `first`: it is the first piece of the text.
std::string SpellPiece(std::string_view piece, bool first, const Parts::Decoding& decoding) {
  std::string text(piece);
  switch (decoding.kind) {
    case Parts::Decoding::Kind::kByteLevel:
      return BytesOfPiece(piece);
    case Parts::Decoding::Kind::kMetaspace:
      ReplaceAll(text, decoding.mark, " ");
      if (first && decoding.strips_first && text.starts_with(' ')) text.erase(0, 1);
      return text;
    case Parts::Decoding::Kind::kWordPiece:
      if (!first && text.starts_with(decoding.mark)) {
        text.erase(0, decoding.mark.size());
      } else if (!first) {
        text.insert(0, " ");
      }
      if (decoding.clean_up) CleanUp(text);
      return text;
    case Parts::Decoding::Kind::kSpaces:
      break;
  }
  return first ? text : " " + text;
}

}  // namespace

std::string Tokenizer::Decode(std::span<const int32_t> ids, std::vector<Piece>* spans) const {
  // The pieces' texts as bytes, and where each ends.
  std::string bytes;
  std::vector<size_t> ends;
  bool first = true;
  for (const int32_t id : ids) {
    if (!Text(id).empty() && !IsSpecial(id)) {
      bytes += SpellPiece(Text(id), first, parts_->decoding);
      first = false;
    }
    ends.push_back(bytes.size());
  }
  // The bytes of several pieces may make one character. The last of these pieces has its span.
  std::string text;
  if (spans != nullptr) spans->clear();
  size_t read = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    const size_t begin = text.size();
    while (read < ends[i]) {
      const size_t length = Utf8Length(std::string_view(bytes).substr(read));
      if (length > 1 && read + length > ends[i]) break;  // its end is in a later piece
      text += length == 0 ? kReplacementCharacter : std::string_view(bytes).substr(read, length);
      read += length == 0 ? 1 : length;
    }
    if (spans != nullptr) spans->push_back({ids[i], begin, text.size()});
  }
  return text;
}

}  // namespace qkv
