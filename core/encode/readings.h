// What an encoder's logits say: the likeliest pieces for a mask, labels with their probabilities, answers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/encode/encode_job.h"

namespace qkv {

struct Guess {
  int32_t id;
  float log_prob;  // natural
};
// The `count` likeliest of a row of logits, best first.
std::vector<Guess> Guesses(const float* logits, size_t size, size_t count);

// The probability of each label, by how they compete: softmax, sigmoids, or the numbers as they are.
std::vector<float> LabelScores(const float* logits, size_t size, EncoderConfig::Choice choice);

struct Answer {
  size_t first, last;  // pieces
  float score;         // the product of the two probabilities
};
// The likeliest spans of the second text (of the first where there is no second), best first, none overlapping a better
// one; at most `longest` pieces each.
std::vector<Answer> FindAnswers(const Encoded& encoded, size_t count, size_t longest);

}  // namespace qkv
