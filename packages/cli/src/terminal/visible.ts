/** What nobody sees, and what turns the direction of writing; not joiners and selectors, which emoji and scripts are made of. */
const unseen =
  /(?<=^|[\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?=[\0-\x7f]|$)|(?!\u200c|\u200d|[\ufe00-\ufe0f\u{e0000}-\u{e0fff}])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu

/**
 * Text without what makes a terminal do something: control characters but line ends, marks that turn the direction of
 * writing, and characters that are not seen. A file may be called anything.
 */
export function visible(text: string): string {
  return text.replaceAll(unseen, (letter) => (letter === '\n' ? letter : '\ufffd'))
}
