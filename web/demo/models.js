// The Models page: a folder, files or a zip that somebody brings; what it holds, what it says, what its heads look at.

import { startPage } from './models/page.js';

startPage(document);
