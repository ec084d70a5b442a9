// The Translate page: text in, translation out, and what each head looked at.

import './translate/page.js';
