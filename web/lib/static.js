// Includes the code of the engines in this script. Service workers and background scripts of extensions need this, because
// they may not import anything while they run.
import { more } from './api/more.js';
import { markup } from './markup/index.js';
import { parts } from './api/parts.js';
import { sizeBound, unzstd } from './loading/zstd.js';
import { kept } from './store/stored-models.js';
import { useCode } from './attention/engine.js';
import { startEngine } from './attention/start-engine.js';
import { createHandlers } from './engine/handlers.js';
import { translationKind } from './engine/kinds.js';

parts.more = async () => more;
parts.markup = async () => markup;
parts.kept = async () => kept;
more.decoders.zstd = async () => ({ sizeBound, unzstd });
translationKind.handlers = async () => createHandlers();
useCode(async () => ({ startEngine }));
