/** Trusted HTML. All other values are escaped as text. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | readonly Html[] | string | number | null

export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  const texts = values.map(textOf)
  return new Html(parts.map((part, index) => part + (texts[index] ?? '')).join(''))
}

function textOf(value: Value): string {
  if (value === null) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return visible(String(value)).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** `1.5 MB`, in powers of ten. */
export function sizeText(bytes: number): string {
  if (bytes === 1) return '1 byte'
  const power = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const amount = bytes / 1000 ** power
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`
}

/**
 * Invisible characters: all that change the direction of text, and joiners, selectors, and tags without effect at their
 * place.
 */
const unseen = new RegExp(
  [
    // Joiners are part of emoji and of scripts other than Latin.
    String.raw`(?<=^|[\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?=[\0-\x7f]|$)`,
    // Selectors are part of emoji, keycaps, and Han characters.
    String.raw`(?<![\p{Extended_Pictographic}\p{Script=Han}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}](?!\u20e3)`,
    // Tags are part of flags of regions.
    String.raw`(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,7})[\u{e0020}-\u{e007f}]`,
    String.raw`(?![\u200c\u200d\ufe00-\ufe0f\u{e0020}-\u{e007f}\u{e0100}-\u{e01ef}])[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`,
  ].join('|'),
  'gu',
)

/** Replaces each invisible character with its code point: `invoice[U+202E]fdp.exe`. */
export function visible(text: string): string {
  return text.replaceAll(unseen, (sign) => {
    const code = sign.codePointAt(0) ?? 0
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
  })
}
