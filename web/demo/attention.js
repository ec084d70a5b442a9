// The Attention page: every mechanism of the family with its numbers and its equation.

import { startPage } from './attention/page.js';

startPage(document);
