import { S3Error } from '../errors.ts'

/** Elements by name, in document order; a leaf is its text. */
export type XmlNode = { readonly [name: string]: readonly (XmlNode | string)[] }

/** No document of S3 is deeper than 5. */
const DEPTH_MAX = 8
/** The longest documents, of uploads with 10,000 parts, have at most a dozen tags for each part. */
const TAGS_MAX = 150_000
const TAG_MAX_LENGTH = 1024

/**
 * Reads the root element with this name. Throws `MalformedXML`. Knows no document types, entities, processing
 * instructions, and sections, and ignores attributes and comments. A general parser took a second for 10,000 parts.
 */
export function readDocument(bytes: Buffer, root: string): XmlNode {
  const document = parse(decode(bytes))
  const found = document[root]?.[0]
  if (found === undefined) throw malformed()
  return typeof found === 'string' ? {} : found
}

/** Throws for a repeated element; undefined if missing. */
export function textOf(node: XmlNode, name: string): string | undefined {
  const found = node[name] ?? []
  const [first] = found
  if (first === undefined) return undefined
  if (found.length > 1 || typeof first !== 'string') throw malformed()
  return first
}

export function nodesOf(node: XmlNode, name: string): XmlNode[] {
  return (node[name] ?? []).map((child) => (typeof child === 'string' ? {} : child))
}

export function textsOf(node: XmlNode, name: string): string[] {
  return (node[name] ?? []).map((child) => {
    if (typeof child !== 'string') throw malformed()
    return child
  })
}

export const malformed = () => new S3Error('MalformedXML')

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw malformed()
  }
}

interface Open {
  /** As written, with its prefix. */
  tag: string
  children: Record<string, (XmlNode | string)[]> | null
  text: string
}

/** An object without a prototype, whose only property is the root. */
function parse(text: string): XmlNode {
  const document: Open = { tag: '', children: null, text: '' }
  const stack = [document]
  let at = /^\ufeff?(?:<\?xml [^<>]{0,200}\?>)?/.exec(text)?.[0].length ?? 0
  for (let tags = 0; ; tags += 1) {
    const start = text.indexOf('<', at)
    const inside = stack.at(-1) as Open
    inside.text += text.slice(at, start < 0 ? undefined : start)
    if (start < 0) break
    if (text.startsWith('<!--', start)) {
      const end = text.indexOf('-->', start + 4)
      if (end < 0) throw malformed()
      at = end + 3
      continue
    }
    const end = text.indexOf('>', start)
    if (end < 0 || end - start > TAG_MAX_LENGTH || tags > TAGS_MAX) throw malformed()
    readTag(stack, text.slice(start + 1, end))
    at = end + 1
  }
  const isOver = stack.length === 1 && document.text.trim() === ''
  if (!isOver || document.children === null || Object.values(document.children).flat().length !== 1) throw malformed()
  return document.children
}

const TAG = /^(\/?)([\p{L}_][\p{L}\p{N}_.:-]*)(?:\s[^<]*?)?(\/?)$/u

function readTag(stack: Open[], written: string): void {
  const [, slash, tag = '', emptiness] = TAG.exec(written) ?? []
  if (tag === '' || (slash === '/' && emptiness === '/')) throw malformed()
  if (slash !== '/') stack.push({ tag, children: null, text: '' })
  if (stack.length > DEPTH_MAX + 1) throw malformed()
  if (slash === '/' || emptiness === '/') close(stack, tag)
}

function close(stack: Open[], tag: string): void {
  const closed = stack.pop()
  const parent = stack.at(-1)
  if (closed?.tag !== tag || parent === undefined) throw malformed()
  parent.children ??= Object.create(null) as Record<string, (XmlNode | string)[]>
  const name = tag.slice(tag.indexOf(':') + 1)
  parent.children[name] ??= []
  parent.children[name].push(closed.children ?? resolve(closed.text))
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The longest reference is `&#1114111;`. */
const REFERENCE_MAX_LENGTH = 9

function resolve(text: string): string {
  let resolved = ''
  let at = 0
  for (;;) {
    const start = text.indexOf('&', at)
    if (start < 0) return resolved + text.slice(at)
    const end = text.indexOf(';', start)
    if (end < 0 || end - start > REFERENCE_MAX_LENGTH) throw malformed()
    resolved += text.slice(at, start) + characterOf(text.slice(start + 1, end))
    at = end + 1
  }
}

function characterOf(reference: string): string {
  if (Object.hasOwn(entities, reference)) return entities[reference] as string
  const [, hex, decimal] = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(reference) ?? []
  const character = fromCode(hex, decimal)
  if (character === undefined) throw malformed()
  return character
}

function fromCode(hex: string | undefined, decimal: string | undefined): string | undefined {
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  const isScalar = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isScalar ? String.fromCodePoint(code) : undefined
}
