import { z } from 'zod'
import { composedText } from './text.ts'

export const PATH_BYTES_MAX = 1024
/** A name outside folders may have 255 characters instead. */
export const SEGMENT_BYTES_MAX = 255

export const bytesOf = (text: string) => new TextEncoder().encode(text).length

/** The length rule of paths, of folders with their slash, and of names (paths without folders). */
export function isTooLong(path: string): boolean {
  const segments = path.split('/')
  const isSegmentTooLong =
    segments.length === 1
      ? [...path].length > SEGMENT_BYTES_MAX
      : segments.some((segment) => bytesOf(segment) > SEGMENT_BYTES_MAX)
  return isSegmentTooLong || bytesOf(path) > PATH_BYTES_MAX
}

export const tooLong = {
  error: `Must be at most ${PATH_BYTES_MAX} bytes, with at most ${SEGMENT_BYTES_MAX} bytes between slashes`,
  params: { code: 'path_too_long' },
}

const placed = (minLength: number) =>
  composedText(minLength, PATH_BYTES_MAX).refine((path) => !isTooLong(path), tooLong)

export const fileName = placed(1)
  .regex(/^[^/\\]*$/, { error: 'Must not contain slashes' })
  .meta({ maxLength: SEGMENT_BYTES_MAX, examples: ['beach.jpg'] })

const isSegment = (segment: string) => segment !== '' && segment !== '.' && segment !== '..'

const path = (minLength: number, segmentsOf: (text: string) => string[]) =>
  placed(minLength)
    .regex(/^[^\\]*$/, { error: 'Must not contain backslashes' })
    .refine((text) => segmentsOf(text).every(isSegment), {
      error: 'Must be parts between single slashes, none of them . or ..',
    })

export const folder = z
  .object({ path: z.string().describe('With a slash at its end: the `prefix` of its contents') })
  .meta({ id: 'Folder' })

export const filePath = path(1, (text) => text.split('/')).meta({ examples: ['2026/photos/beach.jpg'] })

const foldersOf = (text: string) => (text.endsWith('/') ? text.slice(0, -1) : '').split('/')

/** A folder with a slash at its end. Empty: the complete vault. */
export const folderPath = path(0, (text) => (text === '' ? [] : foldersOf(text)))
  .describe('A folder with a slash at its end, or empty')
  .meta({ examples: ['2026/photos/'] })

/** The beginning of paths; may end within a name. */
export const pathPrefix = z
  .string()
  .normalize('NFC')
  .min(1)
  .max(PATH_BYTES_MAX)
  .regex(/^[^\0]*$/, { error: 'Must not contain a null character' })
  .refine((text) => text.isWellFormed(), { error: 'Must be valid Unicode' })
  .describe('Beginning of paths, e.g. `2026/photos/`')

export const pathQuery = {
  prefix: pathPrefix.optional(),
  delimiter: z
    .literal('/')
    .optional()
    .describe('List each folder directly below `prefix` once, instead of the files in it'),
}

interface ByPath {
  prefix?: string | undefined
  delimiter?: '/' | undefined
  sortBy?: 'createdAt' | 'name' | 'path' | undefined
  order?: 'asc' | 'desc' | undefined
}

export const hasFoldersInOrder = ({ delimiter, sortBy = 'path' }: ByPath) =>
  delimiter === undefined || sortBy === 'path'

export const foldersInOrder = {
  path: ['delimiter'],
  error: 'Must be sent only with order by path',
}

export function orderOf({ prefix, delimiter, sortBy, order }: ByPath) {
  const by = sortBy ?? (prefix !== undefined || delimiter !== undefined ? 'path' : 'createdAt')
  return { sortBy: by, order: order ?? (by === 'path' ? 'asc' : 'desc') } as const
}

/** A path for lookups. No rules: an impossible path is 404. */
export const anyPath = z
  .string()
  .transform((text) => text.normalize('NFC'))
  .describe('Folders and name, percent-encoded; slashes may be `/` or `%2F`')

export const onConflict = z
  .enum(['keep', 'fail', 'replace'])
  .describe(
    'If the path is taken: `keep` both, `fail` with 409 `path_taken`, or `replace` the other file, which moves to the trash',
  )
