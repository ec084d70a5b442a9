// The Understand page: a hidden word and its guesses, what each head looked at, and two encoders with other heads.

import { startPage } from './understand/page.js';

startPage(document);
