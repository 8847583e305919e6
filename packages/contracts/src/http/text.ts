import { z } from 'zod'

// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Any Unicode without control characters, counted in code points, kept exactly as sent. */
export function plainText(minLength: number, maxLength: number) {
  return z
    .string()
    .max(maxLength * 2)
    .refine((text) => [...text].length >= minLength && [...text].length <= maxLength, {
      error: `Must be ${minLength} to ${maxLength} characters`,
    })
    .refine((text) => !controlCharacters.test(text) && !loneSurrogate.test(text), {
      error: 'Must not contain control characters',
    })
    .meta({ minLength, maxLength })
}
