export { default } from '../glue.js';
