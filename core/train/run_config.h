// A whole run of training in one file: its data, its model and its options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/train/batches.h"
#include "core/train/subword_rows.h"
#include "core/train/trainer.h"

namespace qkv {

struct CorpusFiles {
  std::string source;  // or both sides in two columns
  std::string target;  // empty: source has both
  CorpusOptions options = {};
};

// The task of the model: to translate, to continue a text, to predict masked pieces, to label a text, to label each
// word, or to detect the language of a text.
enum class Task { kTranslate, kContinue, kMasked, kClassify, kTag, kLanguage };
constexpr bool HasTextsAlone(Task task) { return task == Task::kContinue || task == Task::kMasked; }
constexpr bool HasLabels(Task task) { return task == Task::kClassify || task == Task::kTag || task == Task::kLanguage; }

// The fields, as in the file. Paths are relative to the file's folder. RunConfigFields (core/train/read_run_config.h)
// lists them with their ranges.
struct RunConfig {
  std::string out;                   // "out": the folder to write
  Task task = Task::kTranslate;      // "task": translate, continue, masked, classify, tag, language
  std::vector<std::string> labels;   // "labels": of classify and tag; of language the tags
  std::string vocabulary;            // "vocabulary": a folder by `qkv vocab`, or a model's
  std::string from;                  // "from": a model folder whose weights are the start; none: random ones
  std::vector<CorpusFiles> corpora;  // "corpora": [{"path"} or {"source", "target"}, "weight", "held_out", "column"]
  std::string dev;                   // "dev": pairs for measuring; none: the held-out pairs
  std::string preset;                // "preset": small, or another one (core/train/sequence_presets.h); of a task that
                                     // is not to translate mini, or another one (core/train/one_sided_presets.h)
  std::string model = "{}";          // "model": fields of config.json that differ from the preset's
  BatchOptions batch = {};           // "batch": tokens, longest, joined, window_bytes
  size_t accumulate = 1;             // "batch": accumulate, batches an update of each process
  Precision wire = Precision::kFloat;  // "wire": float or bf16, of gradients between processes
  SubwordOptions subwords = {};        // "subwords": source, target
  TrainerOptions trainer = {};         // "optimiser": beta1, beta2, epsilon, decay, clip, smoothing; "schedule": kind,
                                       // peak, warmup, floor; "average": from (share of the steps), every
  uint64_t steps = 10000;              // "steps"
  uint64_t measure_every = 1000;       // "measure": every (steps), pairs (at most), patience, by ("loss" or "bleu")
  size_t measure_pairs = 2000;
  size_t patience = 0;  // ends the run after this many measurements without improvement; 0: never
  bool by_bleu = false;
  uint64_t checkpoint_every = 500;  // "checkpoint": every (steps)
  uint64_t log_every = 50;          // "log": every (steps)
  bool int4 = false;                // "weights": float or int4
  uint64_t seed = 1;                // "seed"; and "precision" of the trainer: float or bf16
};

}  // namespace qkv
