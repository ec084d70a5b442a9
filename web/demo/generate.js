// The Generate page: a text goes on piece by piece; what may come next, and what each head looked back at.

import { startPage } from './generate/page.js';

startPage(document);
