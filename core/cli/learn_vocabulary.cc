#include "core/cli/learn_vocabulary.h"

#include "core/cli/command.h"

#ifdef QKV_SENTENCEPIECE_TRAINER

#include <sentencepiece_trainer.h>

#include <unordered_map>

#include "core/base/random.h"
#include "core/cli/progress.h"

namespace qkv::cli {
namespace {

// The sentences of one epoch, at most as many as wanted, source and target alternating. Texts without translations have
// no target.
class Sentences : public sentencepiece::SentenceIterator {
 public:
  Sentences(Mixture& data, const LearnVocabularyOptions& options)
      : data_(data),
        random_(options.seed),
        kept_(static_cast<float>(static_cast<double>(options.pairs) / static_cast<double>(data.epoch()))) {
    Advance();
  }

  bool done() const override { return done_; }
  void Next() override {
    if (!at_target_ && !pair_.target.empty()) {
      at_target_ = true;
    } else {
      Advance();
    }
  }
  const std::string& value() const override { return at_target_ ? pair_.target : pair_.source; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void Advance() {
    at_target_ = false;
    do {
      done_ = read_++ == data_.epoch();
      if (done_) return;
      CheckOrFail(data_.Next(&pair_));
    } while (kept_ < 1 && random_.Uniform() >= kept_);
  }

  Mixture& data_;
  Random random_;
  float kept_;
  TextPair pair_;
  uint64_t read_ = 0;
  bool at_target_ = false, done_ = false;
};

}  // namespace

std::string LearnVocabularyOrFail(Mixture& data, const LearnVocabularyOptions& options) {
  Sentences sentences(data, options);
  const std::unordered_map<std::string, std::string> settings = {
      {"model_type", options.type},
      {"vocab_size", std::to_string(options.pieces)},
      {"character_coverage", std::to_string(options.coverage)},
      {"byte_fallback", options.byte_fallback ? "true" : "false"},
      {"normalization_rule_name", "nmt_nfkc"},
      {"eos_id", "0"},
      {"unk_id", "1"},
      {"bos_id", "-1"},
      {"pad_id", "-1"},
      {"max_sentence_length", std::to_string(Lines::kLongest)},
      {"minloglevel", "1"},
  };
  std::string model;
  const sentencepiece::util::Status status = sentencepiece::SentencePieceTrainer::Train(settings, &sentences, &model);
  if (!status.ok()) Fail("SentencePiece cannot learn a vocabulary: " + status.ToString());
  return model;
}

}  // namespace qkv::cli

#else

namespace qkv::cli {

std::string LearnVocabularyOrFail(Mixture&, const LearnVocabularyOptions&) {
  Fail(
      "this qkv was built without SentencePiece's trainer: install libsentencepiece-dev (Debian) and build it again, "
      "or give a .spm file with --spm");
}

}  // namespace qkv::cli

#endif
