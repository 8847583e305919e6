import { S3Error } from '../errors.ts'
import { malformed, nodesOf, readDocument, textOf, type XmlNode } from '../xml/read-xml.ts'
import type { XmlElement } from '../xml/write-xml.ts'

const TAGS_MAX = 10
const KEY_MAX = 128
const VALUE_MAX = 256
const allowed = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u

type Tags = Record<string, string>

/** `x-amz-tagging`: a URL-encoded query. */
export function readTagHeader(header: string): Tags {
  const invalid = () =>
    new S3Error(
      'InvalidArgument',
      "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.",
      { ArgumentName: 'x-amz-tagging', ArgumentValue: header },
    )
  const pairs = header.split('&').filter((pair) => pair !== '')
  const decoded = pairs.map((pair): [string, string] => {
    const [name = '', value = '', ...rest] = pair.split('=')
    if (rest.length > 0) throw invalid()
    try {
      return [decodeURIComponent(name.replaceAll('+', ' ')), decodeURIComponent(value.replaceAll('+', ' '))]
    } catch {
      throw invalid()
    }
  })
  if (new Set(decoded.map(([name]) => name)).size < decoded.length) throw invalid()
  return checkTags(decoded, TAGS_MAX)
}

export function readTagging(bytes: Buffer): Tags {
  const sets = nodesOf(readDocument(bytes, 'Tagging'), 'TagSet')
  const [set] = sets
  if (set === undefined || sets.length > 1) throw malformed()
  return checkTags(nodesOf(set, 'Tag').map(readTag), TAGS_MAX)
}

export function readTag(node: XmlNode): [string, string] {
  const [name, value] = [textOf(node, 'Key'), textOf(node, 'Value')]
  if (name === undefined || value === undefined) throw malformed()
  return [name, value]
}

export function checkTags(pairs: readonly (readonly [string, string])[], max: number): Tags {
  const tags = new Map<string, string>()
  for (const [name, value] of pairs) {
    const isGoodName = name !== '' && name.length <= KEY_MAX && allowed.test(name) && !/^aws:/i.test(name)
    if (!isGoodName) throw new S3Error('InvalidTag', 'The TagKey you have provided is invalid', { TagKey: name })
    if (value.length > VALUE_MAX || !allowed.test(value)) {
      throw new S3Error('InvalidTag', 'The TagValue you have provided is invalid', { TagValue: value })
    }
    if (tags.has(name)) {
      throw new S3Error('InvalidTag', 'Cannot provide multiple Tags with the same key', { TagKey: name })
    }
    tags.set(name, value)
  }
  if (tags.size > max) {
    throw new S3Error(
      'BadRequest',
      max === TAGS_MAX ? 'Object tags cannot be greater than 10' : 'Bucket tag count cannot be greater than 50',
    )
  }
  return Object.fromEntries(tags)
}

export function tagElements(tags: Tags): XmlElement[] {
  const pairs = Object.entries(tags).map(
    ([name, value]): XmlElement => [
      'Tag',
      [
        ['Key', name],
        ['Value', value],
      ],
    ],
  )
  return [['TagSet', pairs]]
}
