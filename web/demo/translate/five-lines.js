import { Translator } from '../../lib/index.js';
import enFr from '../../models/en-fr/index.js';

const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model: enFr });
export default await translator.translate('My brother lives in a big white house.');
