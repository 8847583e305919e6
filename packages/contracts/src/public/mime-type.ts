import { z } from 'zod'

const token = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
const parameter = ` *; *${token}=(?:${token}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*")`
const anyCase = (word: string) => [...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('')
const typeName = token.replace('*', '')
/** Header fields may end with an empty parameter (RFC 9110 §5.6.6). */
const typeText = z
  .string()
  .max(255, { abort: true })
  .overwrite((text) => text.replace(/[ ;]+$/, ''))

/** RFC 9110 `type/subtype` with parameters. No wildcards (RFC 6838 §4.2) and no boundary: readers would expect parts. */
export const mimeType = typeText
  .regex(
    new RegExp(
      `^(?!${anyCase('multipart')}/)${typeName}/${typeName}(?:(?! *; *${anyCase('boundary')}=)${parameter})*$`,
    ),
    { error: 'Must be type/subtype, e.g. image/png: no wildcard, no multipart, no boundary' },
  )
  .meta({ examples: ['image/jpeg'] })

export const mimeTypeFilter = typeText.regex(
  new RegExp(`^(?:\\*/\\*|${typeName}/(?:\\*|${typeName}(?:${parameter})*))$`),
  {
    error: 'Must be a type, e.g. image/png, or image/*, or */*',
  },
)

/** The filter of a list. `undefined` for all types. */
export const listedType = mimeTypeFilter
  .transform((type) => (type === '*/*' ? undefined : type))
  .describe(
    'A media type, all subtypes of one (`image/*`), or `*/*`. Compared without parameters unless the filter has some',
  )

/** `Text/Plain; charset=utf-8` → `text/plain`. */
export const essenceOf = (type: string) => (type.split(';')[0] ?? '').trim().toLowerCase()

/** Whether a type matches a filter. The type must have the filter's parameters, in any order. Case is ignored. */
export function isOfType(type: string, filter: string): boolean {
  const [essence, wanted] = [essenceOf(type), essenceOf(filter)]
  const isOf = wanted.endsWith('/*') ? essence.startsWith(wanted.slice(0, -1)) : essence === wanted
  const hasParameters = parameterPatterns(filter).every((pattern) => new RegExp(pattern).test(type.toLowerCase()))
  return wanted === '*/*' || (isOf && hasParameters)
}

/** A regular expression for each parameter of a filter, for types in lower case. Valid in JavaScript and Postgres. */
export function parameterPatterns(filter: string): string[] {
  const parameters = filter.toLowerCase().matchAll(/; *([^=;"]+)=(?:"([^"]*)"|([^";]*))/g)
  return Array.from(parameters, ([, name = '', quoted, plain = '']) => {
    const value = escaped(quoted ?? plain.trim())
    return `^[^;]*(;[^"=;]+=([^";]*|"[^"]*" *))*; *${escaped(name)}=(${value}|"${value}") *(;|$)`
  })
}

const escaped = (text: string) => text.replace(/[^\w ]/g, '\\$&')
