// Strings are matched only to be skipped. The loop over escapes is unrolled so that a string of
// megabytes costs no backtracking.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/gs
const SAFE_INTEGER = /^-?\d{1,15}$/
/** The text may have a number with a fraction, an exponent, or more than 15 digits. */
const SUSPECT = /\d[.eE]|\d{16}/

/**
 * As `JSON.parse`, but a number that a float may not hold exactly, that is, one with a fraction, an
 * exponent or more than 15 digits, is returned as its text. For answers that carry amounts.
 */
export function parseExactJson(text: string): unknown {
  if (!SUSPECT.test(text)) return JSON.parse(text)
  return JSON.parse(
    text.replace(TOKEN, (token) =>
      token.startsWith('"') || SAFE_INTEGER.test(token) ? token : `"${token}"`,
    ),
  )
}
