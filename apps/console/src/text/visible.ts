/** Invisible characters: joiners, selectors, and tags without effect, and all characters that change the text direction. */
const unseen = new RegExp(
  [
    // Joiners are part of emoji and of scripts other than Latin.
    String.raw`(?<=^|[\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?=[\0-\x7f]|$)`,
    // Part of emoji, keycaps, and Han.
    String.raw`(?<![\p{Extended_Pictographic}\p{Script=Han}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}](?!\u20e3)`,
    // Flags of regions.
    String.raw`(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,7})[\u{e0020}-\u{e007f}]`,
    String.raw`(?![\u200c\u200d\ufe00-\ufe0f\u{e0020}-\u{e007f}\u{e0100}-\u{e01ef}])[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`,
  ].join('|'),
  'gu',
)

/** Shows each invisible character by its number: `invoice[U+202E]fdp.exe`. */
export const visible = (text: string): string =>
  text.replaceAll(unseen, (sign) => {
    const code = sign.codePointAt(0) ?? 0
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
  })

/** No name contains these. `shown` replaces them by direction isolates. */
const BEGIN = '\u0002'
const END = '\u0003'

/** A name that cannot change the text direction of the sentence around it. */
export const isolated = (name: string): string => `${BEGIN}${name}${END}`

export const shown = (text: string): string => visible(text).replaceAll(BEGIN, '\u2068').replaceAll(END, '\u2069')
