// The Lab page: models that learn while they are watched.

import { startPage } from './lab/page.js';

startPage(document);
