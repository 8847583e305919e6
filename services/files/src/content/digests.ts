import { invalidInput } from '@tideport/service-kit/http/invalid-input'
import { AppError } from '@tideport/service-kit/process/app-error'

const SHA256_BYTES = 32
/** RFC 8941: `key` or `key=:base64:`, with parameters that mean nothing here. */
const MEMBER = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):(?:;[^,]*)?$/

/**
 * The SHA-256 (lower-case hex) in a `Content-Digest` or `Repr-Digest`, RFC 9530; of several the last one counts. Null:
 * only other algorithms. Throws 400 for what is no such header.
 */
export function sha256In(header: string, path: string): string | null {
  let found: string | null = null
  for (const text of header.split(',')) {
    const [, algorithm, base64 = ''] = MEMBER.exec(text.trim()) ?? []
    if (algorithm === undefined) throw malformed(path)
    if (algorithm !== 'sha-256') continue
    const digest = Buffer.from(base64, 'base64')
    if (digest.length !== SHA256_BYTES) throw malformed(path)
    found = digest.toString('hex')
  }
  return found
}

export type DigestHeaders = { 'content-digest'?: string | undefined; 'repr-digest'?: string | undefined }

interface Declared {
  headers: DigestHeaders
  query?: { checksumSha256?: string | undefined }
}

/** What the client says its bytes have, by where it says so. */
export function declaredDigests({ headers, query }: Declared): [where: string, sha256: string][] {
  const named = (['content-digest', 'repr-digest'] as const).map((name): [string, string | null] => {
    const header = headers[name]
    return [name, header === undefined ? null : sha256In(header, name)]
  })
  const all: [string, string | null][] = [...named, ['checksumSha256', query?.checksumSha256?.toLowerCase() ?? null]]
  return all.filter((one): one is [string, string] => one[1] !== null)
}

/** Throws 400 that names what was said and is not so. */
export function compareDigests(declared: readonly [where: string, sha256: string][], sha256: string): void {
  const wrong = declared.filter(([, said]) => said !== sha256).map(([where]) => where)
  if (wrong.length === 0) return
  throw new AppError('digest_mismatch', 'The bytes that came are not those of the digest that was sent with them', {
    details: { wrong, sha256 },
  })
}

function malformed(path: string): AppError {
  const message = 'Must be like sha-256=:<base64>: (RFC 9530)'
  return invalidInput('headers', [{ path, message }])
}
