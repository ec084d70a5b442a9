// The public header of the C++ library: models from folders, translation, encoding, generation, training, attention.
#pragma once

#include "core/attention/attend.h"        // Attend: the whole family
#include "core/encode/encode_job.h"       // EncodeJob: what a BERT-like model computes for texts
#include "core/generate/generate_job.h"   // GenerateJob: continues texts
#include "core/layers/attention_layer.h"  // attention with weights of its own
#include "core/layers/positions.h"        // sinusoidal, rotary, learned
#include "core/load/folder.h"             // LoadAnyFolder: any model from disk
#include "core/train/read_run_config.h"   // the description of a training
#include "core/train/run.h"               // Run: trains
#include "core/translate/folder.h"        // LoadFolder: a translation model from disk
#include "core/translate/model.h"         // ModelLoader, TranslationModel
#include "core/translate/replay.h"        // ReplayJob: trace and score
#include "core/translate/translation.h"   // TranslationJob
