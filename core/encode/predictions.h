// Predictions from an encoder's logits: the likeliest pieces for a mask, labels with their probabilities, answers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/encode/encode_job.h"

namespace qkv {

struct Guess {
  int32_t id;
  float log_prob;  // natural
};
// The `count` likeliest pieces of a row of logits, best first.
std::vector<Guess> Guesses(const float* logits, size_t size, size_t count);

// The probability of each label, by the kind of choice: softmax, sigmoids, or the logits themselves.
std::vector<float> LabelScores(const float* logits, size_t size, EncoderConfig::Choice choice);

struct Answer {
  size_t first, last;  // pieces
  float score;         // the product of the two probabilities
};
// The likeliest spans of the second text (of the first text if there is no second), best first. No span overlaps a
// better one; each has at most `longest` pieces.
std::vector<Answer> FindAnswers(const Encoded& encoded, size_t count, size_t longest);

}  // namespace qkv
