/**
 * Invisible characters and characters that change the writing direction, except joiners, selectors, and tags in valid
 * sequences.
 */
const unseen = new RegExp(
  [
    // Joiners are part of emoji and of scripts other than Latin.
    String.raw`(?<=^|[\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?=[\0-\x7f]|$)`,
    // Selectors of emoji, keycaps, and Han.
    String.raw`(?<![\p{Extended_Pictographic}\p{Script=Han}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}](?!\u20e3)`,
    // Tags of region flags.
    String.raw`(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,7})[\u{e0020}-\u{e007f}]`,
    String.raw`(?![\u200c\u200d\ufe00-\ufe0f\u{e0020}-\u{e007f}\u{e0100}-\u{e01ef}])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`,
  ].join('|'),
  'gu',
)

/** A line of JSON with the same characters escaped, so that parsers get the original text. */
export function visibleJson(value: object): string {
  const escaped = (letter: string) =>
    Array.from({ length: letter.length }, (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    )
  return JSON.stringify(value).replaceAll(unseen, escaped)
}

/** Replaces control, bidirectional, and invisible characters, because a file can have any name. */
export const visible = (line: string): string => line.replaceAll(unseen, '\ufffd')

export const visibleLines = (text: string | readonly string[]): string => [text].flat().map(visible).join('\n')
