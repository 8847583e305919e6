import type { Digests, DigestType } from '../files-port.ts'
import type { XmlElement } from '../xml/write-xml.ts'
import { type Algorithm, algorithmNames, algorithms } from './algorithms.ts'

const types = { full_object: 'FULL_OBJECT', composite: 'COMPOSITE' } as const

export function typeName(type: DigestType | null): string | undefined {
  return type === null ? undefined : types[type]
}

export function checksumHeaders(digests: Digests, type: DigestType | null): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const algorithm of presentIn(digests)) headers[`x-amz-checksum-${algorithm}`] = digests[algorithm] as string
  const name = typeName(type)
  if (name !== undefined && Object.keys(headers).length > 0) headers['x-amz-checksum-type'] = name
  return headers
}

export function checksumElements(digests: Digests, type: DigestType | null): XmlElement[] {
  const values = presentIn(digests).map((algorithm): XmlElement => [algorithms[algorithm].element, digests[algorithm]])
  return values.length === 0 ? [] : [...values, ['ChecksumType', typeName(type)]]
}

export function presentIn(digests: Digests): Algorithm[] {
  return algorithmNames.filter((algorithm) => digests[algorithm] !== undefined)
}
