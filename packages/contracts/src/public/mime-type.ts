import { z } from 'zod'

const token = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
const parameter = ` *; *${token}=(?:${token}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*")`
const anyCase = (word: string) => [...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('')
const typeName = token.replace('*', '')
/**
 * The type of one file: RFC 9110 media type, `type/subtype` with optional parameters; of white space only what any
 * header can carry. No wildcards, which are no types (RFC 6838 §4.2), and nothing in parts with a boundary, which would
 * make whoever reads the file take it for a message of several.
 */
export const mimeType = z
  .string()
  .max(255)
  .regex(
    new RegExp(
      `^(?!${anyCase('multipart')}/)${typeName}/${typeName}(?:(?! *; *${anyCase('boundary')}=)${parameter})*$`,
    ),
    { error: 'Must be type/subtype, e.g. image/png: no wildcard, no multipart, no boundary' },
  )
  .meta({ examples: ['image/jpeg'] })

/** A type, or all subtypes of one. */
export const mimeTypeFilter = z
  .string()
  .max(255)
  .regex(new RegExp(`^${token}/(?:\\*|${token}(?:${parameter})*)$`), {
    error: 'Must be a type, e.g. image/png, or image/*',
  })
