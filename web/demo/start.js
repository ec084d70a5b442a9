// The part of the Translate page that runs first: it starts the engine and the model's download.

import './translate/early.js';
