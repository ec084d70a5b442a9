// The Understand page: a masked word and its guesses, the attention of each head, and two encoders with other heads.

import { startPage } from './understand/page.js';

startPage(document);
