import type { IncomingHttpHeaders } from 'node:http'
import { type DigestName, isDigestValue } from '@tideport/digests/digest-names'
import { invalidInput } from '@tideport/service-kit/http/invalid-input'
import { preferencesIn } from '../downloads/repr-digest.ts'

/** A digest of the body, and the place where the client sent it. */
export interface SentDigest {
  where: string
  name: DigestName
  base64: string
}

/** Names of RFC 9530. Other algorithms are ignored. */
const algorithms: Record<string, DigestName> = {
  'sha-256': 'sha256',
  md5: 'md5',
  crc32: 'crc32',
  crc32c: 'crc32c',
  crc64nvme: 'crc64nvme',
}

/** Digests in `Content-Digest`, `Repr-Digest` (RFC 9530), and `Content-MD5`. Throws 400 for invalid ones. */
export function digestsIn(headers: IncomingHttpHeaders, checksumSha256?: string): SentDigest[] {
  const sent = (['content-digest', 'repr-digest'] as const).flatMap((name) => {
    const header = headers[name]
    return header === undefined ? [] : membersOf(String(header), name)
  })
  const md5 = headers['content-md5']
  if (md5 !== undefined) sent.push({ where: 'content-md5', name: 'md5', base64: String(md5) })
  if (checksumSha256 !== undefined) {
    const base64 = Buffer.from(checksumSha256, 'hex').toString('base64')
    sent.push({ where: 'checksumSha256', name: 'sha256', base64 })
  }
  for (const { where, name, base64 } of sent) if (!isDigestValue(name, base64)) throw malformed(where)
  return sent
}

/** RFC 8941: `key` or `key=:base64:`, with ignored parameters. */
const MEMBER = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):(?:;[^,]*)?$/

/** Of several members with one name, the last counts. */
function membersOf(header: string, where: string): SentDigest[] {
  const found = new Map<DigestName, SentDigest>()
  for (const text of header.split(',')) {
    const [, algorithm, base64 = ''] = MEMBER.exec(text.trim()) ?? []
    if (algorithm === undefined) throw malformed(where)
    const name = algorithms[algorithm]
    if (name !== undefined) found.set(name, { where, name, base64 })
  }
  return [...found.values()]
}

function malformed(where: string) {
  const message = 'Must have the form <algorithm>=:<base64>:, e.g. sha-256=:…: (RFC 9530)'
  const ofMd5 = 'Must be the base64 of an MD5 (RFC 1864)'
  return invalidInput('headers', [{ path: where, message: where === 'content-md5' ? ofMd5 : message }])
}

/** Digests to keep with the file: those that the client sent, and those that `Want-Repr-Digest` names. */
export function digestsToKeep(headers: IncomingHttpHeaders, sent: readonly SentDigest[]): DigestName[] {
  const wanted = preferencesIn(String(headers['want-repr-digest'] ?? '')).flatMap((name) => algorithms[name] ?? [])
  // Every file has its SHA-256 in a column of its own.
  return [...new Set([...sent.map(({ name }) => name), ...wanted])].filter((name) => name !== 'sha256')
}
