import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { S3Error } from '../errors.ts'

/** Elements by name, in document order; a leaf is its text. */
export type XmlNode = { readonly [name: string]: readonly (XmlNode | string)[] }

/** No document of S3 is deeper than 5. */
const DEPTH_MAX = 8

const parser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  trimValues: false,
  // Only this file resolves references, so no entity of a document has a meaning.
  processEntities: false,
  isArray: () => true,
})

/** Reads the root element with this name. Throws `MalformedXML`. */
export function readDocument(bytes: Buffer, root: string): XmlNode {
  const text = decode(bytes)
  assertHarmless(text)
  if (XMLValidator.validate(text) !== true) throw malformed()
  const roots = Object.entries(readElement(parser.parse(text)))
  const [[name, [found, ...others]]] = roots.length === 1 ? (roots as [(typeof roots)[0]]) : [['', []]]
  if (name !== root || found === undefined || others.length > 0) throw malformed()
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

/** Refuses document types, entities, sections of unparsed text, and documents that are too deep. */
function assertHarmless(text: string): void {
  if (/<!(?!--)/.test(text)) throw malformed()
  let depth = 0
  for (const [, slash, rest = ''] of text.matchAll(/<(\/?)[^\s<>!?/][^<>]*?(\/?)>/g)) {
    if (slash === '/') depth -= 1
    else if (rest !== '/') depth += 1
    if (depth > DEPTH_MAX) throw malformed()
  }
}

function readElement(parsed: unknown): XmlNode {
  const node: Record<string, (XmlNode | string)[]> = Object.create(null)
  for (const [name, children] of Object.entries(parsed as Record<string, unknown>)) {
    if (name === '#text' || name.startsWith('?')) continue
    node[name] = [children].flat().map((child) => (isNode(child) ? readChild(child) : resolve(String(child))))
  }
  return node
}

/** An element that has only text is a leaf, also when the parser returns it as an object. */
function readChild(parsed: object): XmlNode | string {
  const names = Object.keys(parsed)
  if (names.length === 1 && names[0] === '#text') return resolve(String((parsed as { '#text': unknown })['#text']))
  return readElement(parsed)
}

function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function resolve(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));|&/gi, (_, hex, decimal, name) => {
    const character = name === undefined ? fromCode(hex, decimal) : entities[name]
    if (character === undefined) throw malformed()
    return character
  })
}

function fromCode(hex: string | undefined, decimal: string | undefined): string | undefined {
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  const isScalar = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isScalar ? String.fromCodePoint(code) : undefined
}
