/** Characters that would move the cursor, colour the terminal or change the text direction. */
const UNPRINTED = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** By each of its UTF-16 units, as JSON has them: one beyond U+FFFF has two. */
const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/** A text of strangers for a terminal; JSON stays the same JSON. */
export const printedText = (text: string): string => text.replaceAll(UNPRINTED, escaped)
