import { z } from 'zod'

/** Rejects invalid UTF-8. Keeps a byte order mark, so that `JSON.parse` rejects it. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const header = z.looseObject({
  alg: z.string(),
  kid: z.string().optional(),
  /** No extensions are supported (RFC 7515 §4.1.11). */
  crit: z.undefined().optional(),
  typ: z.string().optional(),
})

/** `z.number()` accepts only finite numbers; `JSON.parse` reads 1e999 as Infinity. */
const payload = z.looseObject({
  exp: z.number(),
  iat: z.number().optional(),
  nbf: z.number().optional(),
})

export type TokenHeader = Pick<z.infer<typeof header>, 'alg' | 'kid' | 'typ'>

/** Throws unless the token is base64url without stray bits (RFC 7515 §2), and JSON without BOM or repeated members. */
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

/** Expects valid JSON. Complete strings are matched first, so the remaining braces and colons are structure. */
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
