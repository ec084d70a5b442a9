// The Generate page: it continues a text piece by piece, and shows the next pieces and the attention of each head.

import { startPage } from './generate/page.js';

startPage(document);
