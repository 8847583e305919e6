import { type AddressGuard, literalAddress, withoutTrailingDot } from './address-guard.ts'

export interface UrlRules {
  /** Allows plain HTTP and any port. */
  isDevelopment: boolean
  allows: AddressGuard
}

const FORBIDDEN_CHARACTERS = /[\s\p{Cc}\p{Cs}]/u
const HOST_LENGTH_MAX = 253

/**
 * Returns a sentence that says why nothing may be sent to this URL, or null. Parses the URL by the same WHATWG rules as
 * the sender.
 */
export function findUrlFault(text: string, { isDevelopment, allows }: UrlRules): string | null {
  // The parser would silently drop spaces and line breaks, and replace lone surrogates.
  if (FORBIDDEN_CHARACTERS.test(text)) return 'Must not contain spaces, control characters, or lone surrogates'
  const url = URL.parse(text)
  if (url === null) return 'Must be an absolute URL'
  if (url.protocol !== 'https:' && !(isDevelopment && url.protocol === 'http:')) return 'Must be an https URL'
  if (url.username !== '' || url.password !== '') return 'Must not contain a user name or password'
  if (url.hash !== '') return 'Must not contain a fragment'
  const hostLength = withoutTrailingDot(url.hostname).length
  if (hostLength === 0 || hostLength > HOST_LENGTH_MAX) return `The host must have 1 to ${HOST_LENGTH_MAX} characters`
  if (!isDevelopment && url.port !== '' && !isWebPort(Number(url.port)))
    return 'Must not use the port of another service'
  // Names are checked when they are resolved, on every attempt.
  const literal = literalAddress(url.hostname)
  if (literal !== null && !allows(literal)) return 'Must not point to a private or reserved address'
  return null
}

const webPorts = new Set([80, 443])
const privilegedBelow = 1024

/** Ports from 1024 that other services than web servers use by convention. */
const otherServices = new Set([
  1080, 1433, 1434, 1521, 1719, 1720, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3260, 3306, 3389, 3659,
  4045, 4190, 4222, 4369, 5060, 5061, 5432, 5672, 5900, 5984, 5985, 5986, 6000, 6222, 6379, 6380, 6443, 6566, 6665,
  6666, 6667, 6668, 6669, 6679, 6697, 7000, 7001, 8086, 8091, 8125, 8222, 8300, 8500, 8600, 8883, 9042, 9092, 9100,
  9160, 9200, 9300, 9418, 10080, 10250, 10255, 11211, 15672, 25565, 26379, 27017, 27018, 27019,
])

/** Whether a port can belong to a web server. Requests for customers must not reach other services. */
function isWebPort(port: number): boolean {
  return webPorts.has(port) || (port >= privilegedBelow && !otherServices.has(port))
}
