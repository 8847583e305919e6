/** The content of an element: text, or child elements. Null and undefined leave the element out. */
export type XmlContent = string | number | boolean | null | undefined | readonly XmlElement[]

export type XmlElement = readonly [name: string, content: XmlContent]

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** A document whose root has the namespace of S3. */
export function writeDocument(name: string, content: XmlContent): string {
  return `${XML_DECLARATION}${writeRoot(name, content)}`
}

export function writeRoot(name: string, content: XmlContent): string {
  return `<${name} xmlns="${namespace}">${write(content)}</${name}>`
}

/** Error documents have no namespace. */
export function writeError(content: readonly XmlElement[]): string {
  return `<Error>${write(content)}</Error>`
}

/** Neither has the document of a form. */
export function writePostResponse({
  location,
  bucket,
  key,
  etag,
}: Record<'location' | 'bucket' | 'key' | 'etag', string>) {
  const content: XmlElement[] = [
    ['Location', location],
    ['Bucket', bucket],
    ['Key', key],
    ['ETag', etag],
  ]
  return `${XML_DECLARATION}<PostResponse>${write(content)}</PostResponse>`
}

function write(content: XmlContent): string {
  if (content === null || content === undefined) return ''
  if (typeof content !== 'object') return escapeText(String(content))
  let text = ''
  for (const [name, child] of content) {
    if (child !== null && child !== undefined) text += `<${name}>${write(child)}</${name.split(' ', 1)[0]}>`
  }
  return text
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: S3 writes control characters as references
const special = /[&<>"\u0000-\u0008\u000b\u000c\r\u000e-\u001f\ufffe\uffff]/g
const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** As S3 does: control characters are references, although XML 1.0 allows only some of them. */
export function escapeText(text: string): string {
  return text.replace(special, (found) => named[found] ?? `&#x${found.charCodeAt(0).toString(16)};`)
}
