// The shapes of the measured models, bergamot's published students among them. Their weights are random.

/**
 * @typedef {object} Architecture an encoder-decoder Transformer in MarianMT's layout
 * @property {number} encoderLayers
 * @property {number} decoderLayers
 * @property {number} d
 * @property {number} ffn
 * @property {number} heads
 * @property {number} vocabulary rows of the one embedding
 *
 * @typedef {Pick<Architecture, 'encoderLayers' | 'decoderLayers' | 'd' | 'vocabulary'> & {recurrent: true}} Recurrent
 */

/** @type {Record<string, Architecture | Recurrent>} */
export const architectures = {
  tiny: { encoderLayers: 6, decoderLayers: 2, d: 256, ffn: 1536, heads: 8, vocabulary: 32000 },
  base: { encoderLayers: 6, decoderLayers: 6, d: 512, ffn: 2048, heads: 8, vocabulary: 32000 },
  // The shapes of Firefox's larger models.
  'firefox-base': { encoderLayers: 6, decoderLayers: 2, d: 512, ffn: 2048, heads: 8, vocabulary: 32000 },
  'base-memory': { encoderLayers: 6, decoderLayers: 4, d: 384, ffn: 1536, heads: 8, vocabulary: 32000 },
  recurrent: { recurrent: true, encoderLayers: 2, decoderLayers: 2, d: 256, vocabulary: 32000 },
  // The encoder of base, for work that needs only an encoder.
  'base-encoder': { encoderLayers: 6, decoderLayers: 1, d: 512, ffn: 2048, heads: 8, vocabulary: 1000 },
};

/** </s> and the piece that decoding starts with, whose row is zero as in Marian: the first row and the last. */
export const kEnd = 0;
export const startPiece = ({ vocabulary }) => vocabulary - 1;
