import { visible } from './visible.ts'

/** HTML of ours. Anything else that is put into it is text. */
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
