// The door of the C++ library: include this.
#pragma once

#include "core/translate/model.h"        // ModelLoader, TranslationModel
#include "core/translate/replay.h"       // ReplayJob: trace and score
#include "core/translate/translation.h"  // TranslationJob
