import { z } from 'zod'

/** For requests that create something: repetition is harmless for 24 hours (docs/reference/http/conventions.md). */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/, { error: 'Must be 1 to 255 printable ASCII characters' })
    .optional()
    .describe('For 24 hours, the same key and body return the same resource'),
})
