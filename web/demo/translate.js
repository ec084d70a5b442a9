// The Translate page: it translates a text, and shows the attention of each head.

import './translate/page.js';
