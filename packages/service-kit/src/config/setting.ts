import { z } from 'zod'

interface Bounds {
  min?: number
  max?: number
}

export function integer({ min = 0, max = Number.MAX_SAFE_INTEGER }: Bounds = {}) {
  return z
    .string()
    .regex(/^-?\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().int().min(min).max(max))
}

export function decimal({ min = 0, max = Number.MAX_SAFE_INTEGER }: Bounds = {}) {
  return z
    .string()
    .regex(/^-?\d+(\.\d+)?$/, 'must be a number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
}

/** A duration in whole seconds, by default at most the maximum of a timer. */
export function seconds({ min = 0, max = 2_147_483 }: Bounds = {}) {
  return integer({ min, max })
}

export function bytes(bounds: Bounds = {}) {
  return integer(bounds)
}

/** A TCP port. 0 selects a free port. */
export function port() {
  return integer({ max: 65_535 })
}

/** Exactly `true` or `false`. */
export function boolean() {
  return z.enum(['true', 'false'], 'must be true or false').transform((word) => word === 'true')
}

/** A comma-separated list. Spaces around entries and empty entries are dropped. */
export function list<S extends z.ZodType<unknown, string>>(entry: S) {
  return z.string().transform(splitList).pipe(z.array(entry))
}

function splitList(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  return parts.filter((part) => part !== '')
}

const portPattern = '0*(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5]?[0-9]{1,4})'
const hostPattern = `(\\[[0-9A-Fa-f:.]+\\]|[^\\s/?#@:\\[\\]]+)(:${portPattern})?`

/** The pattern in the JSON Schema rejects none of these URLs. */
export function url(protocols: readonly string[] = ['http', 'https']) {
  const names = protocols.join('|')
  const pattern = `^(${names})://([^\\s/?#@]*@)?${hostPattern}([/?#]\\S*)?$`
  const error = `must be a URL that begins with ${protocols.map((name) => `${name}://`).join(' or ')}`
  return z.url({ protocol: new RegExp(`^(${names})$`), error }).meta({ pattern })
}

/** An http or https URL for appending paths: no user name, password, query, or fragment. Drops trailing slashes. */
export function baseUrl() {
  const error = 'must be an http or https URL without a user name, password, query, or fragment'
  const isBase = (text: string) => !/[?#]/.test(text) && URL.parse(text)?.username === ''
  return url()
    .refine(isBase, error)
    .overwrite((text) => text.replace(/\/+$/, ''))
    .meta({ pattern: `^(http|https)://${hostPattern}(/[^\\s?#]*)?$` })
}

/**
 * An http or https URL of which only the origin is used, as browsers send it in `Origin`. The JSON Schema allows only
 * the origin.
 */
export function origin() {
  const message = 'must be an origin as browsers send it, such as https://app.example.org'
  return baseUrl()
    .overwrite((text) => URL.parse(text)?.origin ?? text)
    .meta({ pattern: `^(http|https)://${hostPattern}$`, message })
}

const octet = '(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])'
const ipv6 = '[0-9A-Fa-f]*:[0-9A-Fa-f:.]*'

const [prefix4, prefix6] = ['/(3[0-2]|[12]?[0-9])', '/(12[0-8]|1[01][0-9]|[1-9]?[0-9])']
const address4 = `(${octet}\\.){3}${octet}`

/** The pattern of a network, for clients that have only JSON Schema. */
export const networkPattern = `^(${address4}${prefix4}|${ipv6}${prefix6})$`

/** An address or a network. */
export const addressOrNetworkPattern = `^(${address4}(${prefix4})?|${ipv6}(${prefix6})?)$`

/** An IP address with an optional port. */
export const serverPattern = `^(${address4}(:${portPattern})?|${ipv6}|\\[${ipv6}\\](:${portPattern})?)$`

/** A setting that names other settings. `read` gets its text (empty when unset) and throws `ConfigError` for faults. */
export function family<T>(read: (text: string, env: Readonly<Record<string, string | undefined>>) => T) {
  return z.string().default('').meta({ family: read }) as unknown as z.ZodDefault<z.ZodType<T, string>>
}

export function secret<S extends z.ZodType>(schema: S): S {
  return schema.meta({ ...schema.meta(), secret: true })
}

const key = z
  .string()
  .regex(/^[A-Za-z0-9+/_-]{43}=?$/, 'must be 32 bytes in base64')
  .transform((text) => Buffer.from(text, 'base64'))

/** One or more secret keys of 32 bytes in base64, comma-separated. The first is in use; the others remain valid. */
export function secretKeys() {
  return secret(list(key).refine((keys) => keys.length > 0, 'must contain a key'))
}
