import { S3Error } from '../errors.ts'
import { canonicalHeaders, type HeaderLines, unsignedHeaders } from './header-lines.ts'
import { canonicalPaths, canonicalQuery, type Parameter } from './target.ts'

/** The parts of a request that a signature covers. */
export interface RequestParts {
  method: string
  path: string
  parameters: readonly Parameter[]
  lines: HeaderLines
}

/** Every spelling of the canonical request that a client may have signed. */
export function canonicalRequests(
  { method, path, lines }: RequestParts,
  parameters: readonly Parameter[],
  signed: readonly string[],
  payload: string,
): string[] {
  const query = canonicalQuery(parameters)
  const end = `${signed.join(';')}\n${payload}`
  return canonicalPaths(path).flatMap((uri) =>
    canonicalHeaders(lines, signed).map((headers) => `${method}\n${uri}\n${query}\n${headers}\n${end}`),
  )
}

const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/

/** `SignedHeaders`. Undefined unless it is a list of different lower-case names. */
export function readSignedHeaders(text: string): string[] | undefined {
  const names = text.split(';')
  return names.every((name) => NAME.test(name)) && new Set(names).size === names.length ? names : undefined
}

/** Without this, a proxy or a thief could add headers that change the meaning of a signed request. */
export function assertHeadersSigned(lines: HeaderLines, signed: readonly string[]): void {
  const unsigned = unsignedHeaders(lines, signed)
  if (!signed.includes('host') && !unsigned.includes('host')) unsigned.unshift('host')
  if (unsigned.length > 0) {
    throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
      HeadersNotSigned: unsigned.join(', '),
    })
  }
}
