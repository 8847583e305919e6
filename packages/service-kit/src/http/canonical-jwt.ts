import { z } from 'zod'

/** Fails on a byte order mark, which `JSON.parse` then refuses, and on what is not UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const header = z.looseObject({
  alg: z.string(),
  kid: z.string().optional(),
  /** We understand no extensions (RFC 7515 §4.1.11). */
  crit: z.undefined().optional(),
  typ: z.string().optional(),
})

/** `z.number()` takes finite ones only: 1e999 is Infinity to `JSON.parse`. */
const payload = z.looseObject({
  exp: z.number(),
  iat: z.number().optional(),
  nbf: z.number().optional(),
})

export type TokenHeader = Pick<z.infer<typeof header>, 'alg' | 'kid' | 'typ'>

/** Throws unless it is canonical: base64url without stray bits (RFC 7515 §2), JSON without BOM or duplicate members. */
export function readCanonicalHeader(token: string): TokenHeader {
  const segments = token.split('.')
  const [first = '', second = ''] = segments
  if (segments.length !== 3 || !segments.every(isBase64Url)) throw new Error('Not canonical base64url')
  payload.parse(parseJson(second))
  return header.parse(parseJson(first))
}

function isBase64Url(segment: string): boolean {
  return Buffer.from(segment, 'base64url').toString('base64url') === segment
}

function parseJson(segment: string): unknown {
  const text = utf8.decode(Buffer.from(segment, 'base64url'))
  const value = JSON.parse(text) as unknown
  if (repeatsMember(text)) throw new Error('A member occurs twice')
  return value
}

/** Of valid JSON. Strings are skipped whole, so what is left of braces and colons is structure. */
function repeatsMember(json: string): boolean {
  const objects: Set<string>[] = []
  for (const [token, string] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') objects.push(new Set())
    else if (token === '}') objects.pop()
    else if (string !== undefined) {
      const names = objects.at(-1)
      const name = JSON.parse(string) as string
      if (names?.has(name)) return true
      names?.add(name)
    }
  }
  return false
}
