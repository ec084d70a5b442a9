// The door of the C++ library: include this.
#pragma once

#include "core/attention/attend.h"        // Attend: the whole family
#include "core/layers/attention_layer.h"  // the same with weights of its own
#include "core/layers/positions.h"        // sinusoidal, rotary, learned
#include "core/translate/model.h"         // ModelLoader, TranslationModel
#include "core/translate/replay.h"        // ReplayJob: trace and score
#include "core/translate/translation.h"   // TranslationJob
