// Integers in French words, as in France: soixante-dix, quatre-vingts, quatre-vingt-dix.

const kUnits =
  'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf'.split(
    ' ',
  );
const kTens = [
  '',
  '',
  'vingt',
  'trente',
  'quarante',
  'cinquante',
  'soixante',
  'soixante',
  'quatre-vingt',
  'quatre-vingt',
];

/** @param {number} n from 0 to 99 @param {boolean} last whether no word follows: only then "quatre-vingts" has an s */
function belowHundred(n, last) {
  if (n < 20) return kUnits[n];
  const ten = Math.floor(n / 10);
  const rest = ten === 7 || ten === 9 ? n - 10 * (ten - 1) : n % 10;
  if (rest === 0) return kTens[ten] + (ten === 8 && last ? 's' : '');
  const joined = (rest === 1 || rest === 11) && ten < 8 ? ' et ' : '-';
  return kTens[ten] + joined + kUnits[rest];
}

/** @param {number} n from 0 to 999 @param {boolean} last */
function belowThousand(n, last) {
  const hundreds = Math.floor(n / 100);
  const rest = n % 100;
  if (hundreds === 0) return belowHundred(rest, last);
  const cent = hundreds === 1 ? 'cent' : `${kUnits[hundreds]} cent${rest === 0 && last ? 's' : ''}`;
  return rest === 0 ? cent : `${cent} ${belowHundred(rest, last)}`;
}

/** @param {number} n a whole number from 0 to 999,999 @returns {string} */
export function frenchNumber(n) {
  const thousands = Math.floor(n / 1000);
  const rest = n % 1000;
  if (thousands === 0) return belowThousand(rest, true);
  const mille = thousands === 1 ? 'mille' : `${belowThousand(thousands, false)} mille`;
  return rest === 0 ? mille : `${mille} ${belowThousand(rest, true)}`;
}
