/**
 * Text without what makes a terminal do something: control characters but line ends, and marks that turn the direction
 * of writing. A file may be called anything.
 */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (letter) =>
    letter === '\n' ? letter : '\ufffd',
  )
}
