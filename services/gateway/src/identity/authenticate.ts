import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { apiKeyPrefix } from '@tideport/contracts/public/api-key-format'
import { looksLikeApiKey } from './api-key.ts'
import type { Caller } from './caller.ts'
import type { Decisions } from './decisions.ts'
import { unauthenticated } from './unauthenticated.ts'

export const TOKEN_MAX_LENGTH = 8192
/** RFC 6750 §2.1; the scheme's name is case-insensitive (RFC 9110 §11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i

type CheckToken = (token: string, clientAddress: string) => Promise<Caller>

export interface AuthenticateDeps {
  checkApiKey: CheckToken
  /** Null without an identity provider. */
  checkJwt: CheckToken | null
  /** Null outside development mode. */
  readDevHeaders: ((headers: IncomingHttpHeaders, clientAddress: string) => Promise<AccountPrincipal>) | null
}

export type Authenticate = (request: IncomingMessage, clientAddress: string) => Promise<Caller>

/**
 * By bearer token or, in development mode, by development headers. Throws 401, or 503 when the check is unavailable.
 */
export function createAuthenticate({ checkApiKey, checkJwt, readDevHeaders }: AuthenticateDeps): Authenticate {
  return async (request, clientAddress) => {
    const sent = authorizationHeaders(request)
    if (sent.length === 0 && readDevHeaders !== null) {
      return { principal: await readDevHeaders(request.headers, clientAddress), credential: null }
    }
    const token = bearerToken(sent)
    if (token === null) throw unauthenticated()
    if (token.startsWith(apiKeyPrefix)) return await checkApiKey(token, clientAddress)
    if (checkJwt === null) throw unauthenticated()
    return await checkJwt(token, clientAddress)
  }
}

/** Read from the raw list: of two headers, Node keeps only the first, and a proxy may have checked the second. */
function authorizationHeaders({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization')
}

function bearerToken(sent: readonly string[]): string | null {
  const [header] = sent
  if (header === undefined || sent.length > 1 || header.length > TOKEN_MAX_LENGTH + 'bearer '.length) return null
  return BEARER.exec(header)?.[1] ?? null
}

export function countDecisions(authenticate: Authenticate, decisions: Decisions): Authenticate {
  return async (request, clientAddress) => {
    try {
      const caller = await authenticate(request, clientAddress)
      decisions.accept(caller.principal.method)
      return caller
    } catch (error) {
      decisions.fail(methodOf(request.headers.authorization), error)
      throw error
    }
  }
}

function methodOf(authorization: string | undefined): 'api_key' | 'jwt' | 'none' {
  if (authorization === undefined) return 'none'
  return looksLikeApiKey(authorization) ? 'api_key' : 'jwt'
}
