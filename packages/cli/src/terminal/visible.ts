/** What nobody sees, and what turns the direction of writing; not joiners, selectors and tags where they join, select and tag something. */
const unseen = new RegExp(
  [
    // Joiners are part of emoji and of scripts other than Latin.
    String.raw`(?<=^|[\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?=[\0-\x7f]|$)`,
    // Of emoji, keycaps and Han.
    String.raw`(?<![\p{Extended_Pictographic}\p{Script=Han}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}](?!\u20e3)`,
    // Flags of regions.
    String.raw`(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,7})[\u{e0020}-\u{e007f}]`,
    String.raw`(?![\u200c\u200d\ufe00-\ufe0f\u{e0020}-\u{e007f}\u{e0100}-\u{e01ef}])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`,
  ].join('|'),
  'gu',
)

/** A line of JSON, in which the same are written by their numbers: whoever parses it gets what was meant. */
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
