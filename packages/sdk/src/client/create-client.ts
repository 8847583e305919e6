import { fetch as platformFetch } from '#fetch'
import type { PutBytes } from './put-bytes.ts'

export interface ClientOptions {
  /** URL of the installation, such as `https://files.example.com`; may include a path. */
  baseUrl: string
  /** Starts with `tdp_`. */
  apiKey?: string | undefined
  /**
   * Access token of the identity provider. A function is called for each request. After a 401 response, it is called
   * again with the rejected token; if it returns another one, the request is sent again.
   */
  bearerToken?: string | ((signal: AbortSignal, refused?: string) => string | Promise<string>) | undefined
  /** Only in development mode: an account ID, a subject of the provider, or `{}` for the first account. */
  development?: { userId?: string | undefined; providerId?: string | undefined } | undefined
  /**
   * Default: the platform's `fetch`; in Node, the `fetch` of `@tideport/sdk/node`, which uses the proxies of the
   * environment.
   */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Uploads bytes to object storage. Default: XMLHttpRequest in browsers, otherwise `fetch`. */
  putBytes?: PutBytes | undefined
  /**
   * Milliseconds until the response is read, or its bytes begin. Default: 60,000. A request with a file gets this time
   * again for each unsent MiB. For a PUT to object storage, the time restarts whenever bytes leave.
   */
  timeoutMs?: number | undefined
  /**
   * Called with each endpoint (`GET /api/vaults`) and its JSON response. An error that it throws rejects the call.
   * Default: any JSON object is accepted.
   */
  checkAnswer?: ((endpoint: string, answer: object) => void) | undefined
  /** Maximum attempts of a repeatable request; 1 disables retries. Default: 5. */
  attempts?: number | undefined
  /** Longest `Retry-After` to wait for, in milliseconds. Default: 60,000. */
  maxWaitMs?: number | undefined
}

export type Identity = Record<string, string>

/** First argument of every function. Shareable; holds no connection and prints no secret. */
export interface Client {
  readonly baseUrl: string
  readonly fetch: NonNullable<ClientOptions['fetch']>
  readonly putBytes: PutBytes | undefined
  readonly checkAnswer: ClientOptions['checkAnswer']
  readonly timeoutMs: number
  readonly attempts: number
  readonly maxWaitMs: number
  /** Authentication headers. If possible, they differ from `refused`. */
  readonly credentials: (signal: AbortSignal, refused?: Identity) => Promise<Identity>
}

const BEARER = 'Bearer '

/** Throws a TypeError for an invalid base URL and for more than one identity. */
export function createClient(options: ClientOptions): Client {
  const {
    apiKey,
    bearerToken,
    development,
    fetch,
    putBytes,
    checkAnswer,
    timeoutMs = 60_000,
    attempts = 5,
    maxWaitMs = 60_000,
  } = options
  // Files and variables often end with a line break.
  const baseUrl = options.baseUrl?.trim()
  // Usually an unset variable. The value is not quoted, because it may be a key in the wrong place.
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw new TypeError(`baseUrl must be an http or https URL${baseUrl === undefined ? ', but is undefined' : ''}`)
  if ([apiKey, bearerToken, development].filter((identity) => identity !== undefined).length > 1) {
    throw new TypeError('Set only one of apiKey, bearerToken, and development')
  }
  const token = apiKey ?? bearerToken
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    fetch: fetch ?? platformFetch,
    putBytes,
    checkAnswer,
    timeoutMs,
    attempts,
    maxWaitMs,
    credentials: async (signal, refused) => {
      const before = refused?.authorization?.slice(BEARER.length)
      if (token !== undefined) return bearer(typeof token === 'string' ? token : await token(signal, before))
      return {
        ...(development?.userId !== undefined && { 'x-dev-user-id': development.userId }),
        ...(development?.providerId !== undefined && { 'x-dev-provider-id': development.providerId }),
      }
    },
  }
}

/** Checked here, because `fetch` quotes an invalid header in its error. */
function bearer(given: string): Identity {
  const token = given.trim()
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('The credential is empty or contains characters that are not allowed in a token')
  return { authorization: BEARER + token }
}
