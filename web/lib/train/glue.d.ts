export { default } from '../engine/glue.js';
