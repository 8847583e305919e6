import { fetch as platformFetch } from '#fetch'
import type { PutBytes } from './put-bytes.ts'

/** Where the service is, as whom it is called, and how patiently. */
export interface ClientOptions {
  /** Where the API is, e.g. `https://files.example.com`; may have a path. */
  baseUrl: string
  /** An API key, `tdp_…`. */
  apiKey?: string | undefined
  /**
   * A token of the identity provider; a function is asked at each request, as tokens expire. Where the service refuses the
   * one that it gave, it is asked once more, with that, and the request is sent again if it gives another one.
   */
  bearerToken?: string | ((signal: AbortSignal, refused?: string) => string | Promise<string>) | undefined
  /** Installations in development mode alone: by account id, by the provider's subject, or as the first account. */
  development?: { userId?: string | undefined; providerId?: string | undefined } | undefined
  /** The platform's own unless given; in Node one on `node:http` that uses the proxies that the environment names. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** How bytes get to object storage; the platform's own way unless given. */
  putBytes?: PutBytes | undefined
  /**
   * For each request: until its answer was read, or its bytes begin. 60,000 unless given. A request that sends a file has as
   * long again for each MiB that has not left; a PUT to object storage, since bytes of it left last.
   */
  timeoutMs?: number | undefined
  /**
   * Told each JSON answer before it is given, and of which endpoint it is (`GET /api/vaults`): the call rejects with what
   * this throws. Otherwise nothing more is looked at than whether it is an object.
   */
  checkAnswer?: ((endpoint: string, answer: object) => void) | undefined
  /** How often a request is sent at most, where it may be repeated. 5 unless given; 1: never again. */
  attempts?: number | undefined
  /** A `Retry-After` that is longer is not waited for. 60,000 unless given. */
  maxWaitMs?: number | undefined
}

export type Identity = Record<string, string>

/** What every function of the SDK takes first. It can be shared, holds no connection and prints no secret. */
export interface Client {
  readonly baseUrl: string
  readonly fetch: NonNullable<ClientOptions['fetch']>
  readonly putBytes: PutBytes | undefined
  readonly checkAnswer: ClientOptions['checkAnswer']
  readonly timeoutMs: number
  readonly attempts: number
  readonly maxWaitMs: number
  /** The headers that say who is calling; others than those that were refused, where there are some. */
  readonly credentials: (signal: AbortSignal, refused?: Identity) => Promise<Identity>
}

const BEARER = 'Bearer '

/** Throws a TypeError for a base URL that is none, and for more than one identity. */
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
  // Most often a setting that is missing. What else was given is not repeated: it may be the key, in the wrong place.
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

/** Refused here, because `fetch` would say the whole of a header it cannot send in its error. */
function bearer(given: string): Identity {
  const token = given.trim()
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('The credential is empty or contains characters that are not allowed in a token')
  return { authorization: BEARER + token }
}
