import { type AddressGuard, literalAddress, withoutTrailingDot } from './address-guard.ts'
import { isWebPort } from './target-port.ts'

export interface UrlRules {
  /** Plain http and any port are for development only. */
  isDevelopment: boolean
  allows: AddressGuard
}

const FORBIDDEN_CHARACTERS = /[\s\p{Cc}\p{Cs}]/u
const HOST_LENGTH_MAX = 253

/** Why nothing may be sent to this URL, as a sentence. Parsed by the rules of whoever sends: WHATWG's. */
export function findUrlFault(text: string, { isDevelopment, allows }: UrlRules): string | null {
  // The parser would drop blanks and line breaks, and replace lone surrogates, silently.
  if (FORBIDDEN_CHARACTERS.test(text)) return 'Must not contain blanks, control characters or lone surrogates'
  const url = URL.parse(text)
  if (url === null) return 'Must be an absolute URL'
  if (url.protocol !== 'https:' && !(isDevelopment && url.protocol === 'http:')) return 'Must be an https URL'
  if (url.username !== '' || url.password !== '') return 'Must not contain a user name or password'
  if (url.hash !== '') return 'Must not contain a fragment'
  const hostLength = withoutTrailingDot(url.hostname).length
  if (hostLength === 0 || hostLength > HOST_LENGTH_MAX) return `The host must have 1 to ${HOST_LENGTH_MAX} characters`
  if (!isDevelopment && url.port !== '' && !isWebPort(Number(url.port)))
    return 'Must not use the port of another service'
  // Names are judged when they are resolved, on every attempt.
  const literal = literalAddress(url.hostname)
  if (literal !== null && !allows(literal)) return 'Must not point to a private or reserved address'
  return null
}
