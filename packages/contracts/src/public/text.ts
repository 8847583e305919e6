import { z } from 'zod'

/** Unicode's category Cc, spelled out: a pattern in JSON Schema has no flags. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
const noControlCharacters = /^[^\u0000-\u001f\u007f-\u009f]*$/
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Unicode without control characters, counted in code points and stored exactly as sent. */
export function plainText(minLength: number, maxLength: number) {
  return checked(z.string(), minLength, maxLength)
}

/** The same, converted to NFC, so that texts that look the same are equal. */
export function composedText(minLength: number, maxLength: number) {
  return checked(z.string().normalize('NFC'), minLength, maxLength)
}

function checked(text: z.ZodString, minLength: number, maxLength: number) {
  return text
    .max(maxLength * 2)
    .refine((text) => [...text].length >= minLength && [...text].length <= maxLength, {
      error: `Must be ${minLength} to ${maxLength} characters`,
    })
    .regex(noControlCharacters, { error: 'Must not contain control characters' })
    .refine((text) => !loneSurrogate.test(text), { error: 'Must be valid Unicode' })
    .meta({ minLength, maxLength })
}
