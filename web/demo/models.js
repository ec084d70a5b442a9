// The Models page: it loads a folder, files or a zip that the reader gives, lists its content, runs it and shows its
// heads.

import { startPage } from './models/page.js';

startPage(document);
