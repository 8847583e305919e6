/**
 * Reads the flat documents that S3 answers with: elements by name, wherever they stand, without namespaces, comments or
 * CDATA, none of which S3 or its kin write. What is not there is undefined; nothing is ever resolved or expanded.
 */

/** The text of the first element of this name. */
export function textOf(xml: string, name: string): string | undefined {
  for (const inner of elementsOf(xml, name)) return decode(inner)
  return undefined
}

/** What is inside each element of this name, in order. */
export function* elementsOf(xml: string, name: string): Generator<string> {
  const closing = `</${name}>`
  for (let at = xml.indexOf(`<${name}`); at !== -1; at = xml.indexOf(`<${name}`, at)) {
    const tagEnd = xml.indexOf('>', at)
    const next = xml.charCodeAt(at + name.length + 1)
    if (tagEnd === -1) return
    at = tagEnd + 1
    if (!endsName.has(next)) continue
    if (xml.charCodeAt(tagEnd - 1) === SLASH) {
      yield ''
      continue
    }
    const end = xml.indexOf(closing, at)
    if (end === -1) return
    yield xml.slice(at, end)
    at = end + closing.length
  }
}

/** Escapes text that goes into an element. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (one) => (one === '&' ? '&amp;' : one === '<' ? '&lt;' : '&gt;'))
}

const SLASH = 0x2f
const endsName = new Set([...'> \t\r\n/'].map((one) => one.charCodeAt(0)))
const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return named[name] ?? whole
    const code = Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
