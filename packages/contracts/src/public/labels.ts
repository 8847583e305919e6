import { z } from 'zod'
import { composedText } from './text.ts'

const LABELS_MAX = 50
const METADATA_BYTES_MAX = 2048

const bytesOf = (text: string) => new TextEncoder().encode(text).length

const key = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
  error: 'Must be 1 to 64 letters, digits, dots, dashes, and underscores',
})
const value = composedText(0, METADATA_BYTES_MAX)
const tag = composedText(1, 64)

export const metadata = z
  .record(key, value)
  .refine((pairs) => Object.keys(pairs).length <= LABELS_MAX, { error: `Must be at most ${LABELS_MAX} pairs` })
  .refine(
    (pairs) => Object.entries(pairs).reduce((sum, pair) => sum + bytesOf(pair.join('')), 0) <= METADATA_BYTES_MAX,
    {
      error: `Must be at most ${METADATA_BYTES_MAX} bytes, keys and values together`,
    },
  )
  .describe(`Up to ${LABELS_MAX} pairs, ${METADATA_BYTES_MAX} bytes in all`)
  .meta({ examples: [{ camera: 'X100' }] })

export const metadataPatch = z
  .record(key, value.nullable())
  .describe('Merged with the current pairs; null removes a pair')

/** Without duplicates, in byte order. */
export const tags = z
  .array(tag)
  .max(LABELS_MAX)
  .transform((given) => [...new Set(given)].toSorted())
  .describe(`Up to ${LABELS_MAX}, of 1 to 64 characters`)

export const sealedMetadata = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[\x20-\x7e]+$/, { error: 'Must be printable ASCII' })
  .describe('Private vaults: metadata that the client encrypted, instead of readable metadata and tags')

export const labelFields = {
  metadata: metadata.nullish(),
  tags: tags.nullish(),
  sealedMetadata: sealedMetadata.nullish(),
}

interface Labels {
  metadata?: unknown
  tags?: unknown
  sealedMetadata?: unknown
  wrappedKey?: unknown
}

export const isSealedOrOpen = ({ metadata: pairs, tags: words, sealedMetadata: sealed }: Labels) =>
  sealed == null || (pairs == null && words == null)
export const sealedOrOpen = { path: ['sealedMetadata'], error: 'Must not be sent with metadata or tags' }

export const labelQuery = {
  tag: z
    .union([tag, z.array(tag).min(1).max(LABELS_MAX)])
    .transform((given) => (Array.isArray(given) ? given : [given]))
    .optional()
    .describe('Repeatable; all of them'),
}

/** Unvalidated pairs from query members that begin with `meta.`, such as `meta.camera=X100`. */
export function metadataIn(query: unknown): Record<string, unknown> {
  const named = Object.entries((query ?? {}) as Record<string, unknown>).filter(([name]) => name.startsWith('meta.'))
  return Object.fromEntries(named.map(([name, given]) => [name.slice('meta.'.length), given]))
}
