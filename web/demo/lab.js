// The Lab page: models that learn while they are looked at.

import { startPage } from './lab/page.js';

startPage(document);
