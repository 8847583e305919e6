import { z } from 'zod'
import { composedText } from './text.ts'

/** Of a whole path, and of each of its parts but a name that stands alone. */
export const PATH_BYTES_MAX = 1024
const SEGMENT_BYTES_MAX = 255

export const bytesOf = (text: string) => new TextEncoder().encode(text).length

/** A file's own name: all of its path that is behind the last slash. */
export const fileName = composedText(1, 255)
  .refine((name) => bytesOf(name) <= PATH_BYTES_MAX, { error: `Must be at most ${PATH_BYTES_MAX} bytes` })
  .regex(/^[^/\\]*$/, { error: 'Must not contain slashes' })
  .meta({ examples: ['beach.jpg'] })

function isSegment(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..' && bytesOf(segment) <= SEGMENT_BYTES_MAX
}

const path = (segmentsOf: (text: string) => string[]) =>
  composedText(1, PATH_BYTES_MAX)
    .refine((text) => bytesOf(text) <= PATH_BYTES_MAX, { error: `Must be at most ${PATH_BYTES_MAX} bytes` })
    .regex(/^[^\\]*$/, { error: 'Must not contain backslashes' })
    .refine((text) => segmentsOf(text).every(isSegment), {
      error: `Must be parts of 1 to ${SEGMENT_BYTES_MAX} bytes between single slashes, none of them . or ..`,
    })

export const folder = z
  .object({ path: z.string().describe('With a slash at its end: the `prefix` of what is in it') })
  .meta({ id: 'Folder' })

/** Where a file is in its vault: folders and its name. */
export const filePath = path((text) => text.split('/')).meta({ examples: ['2026/photos/beach.jpg'] })

/** A folder, with a slash at its end; or none, and then all that a vault has is below it. */
export const folderPath = z
  .union([z.literal(''), path((text) => (text.endsWith('/') ? text.slice(0, -1) : '').split('/'))], {
    error: 'Must be empty or a folder with a slash at its end',
  })
  .meta({ examples: ['2026/photos/'] })

/** What paths begin with; within a folder, or up to a part of a name. */
export const pathPrefix = z
  .string()
  .normalize('NFC')
  .min(1)
  .max(PATH_BYTES_MAX)
  .regex(/^[^\0]*$/, { error: 'Must not contain a null character' })
  .refine((text) => text.isWellFormed(), { error: 'Must be valid Unicode' })
  .describe('What paths begin with, e.g. `2026/photos/`')

/** Query of lists by path. */
export const pathQuery = {
  prefix: pathPrefix.optional(),
  delimiter: z
    .literal('/')
    .optional()
    .describe('Tell the folders right behind `prefix` once each, in place of the files in them'),
}

interface ByPath {
  prefix?: string | undefined
  delimiter?: '/' | undefined
  sortBy?: 'createdAt' | 'name' | 'path' | undefined
  order?: 'asc' | 'desc' | undefined
}

/** Whether folders are told in an order that has them. */
export const hasFoldersInOrder = ({ delimiter, sortBy = 'path' }: ByPath) =>
  delimiter === undefined || sortBy === 'path'

export const foldersInOrder = {
  path: ['delimiter'],
  error: 'Must be sent with no other order than by path',
}

/** The order of a list that names it or leaves it open. */
export function orderOf({ prefix, delimiter, sortBy, order }: ByPath) {
  const by = sortBy ?? (prefix !== undefined || delimiter !== undefined ? 'path' : 'createdAt')
  return { sortBy: by, order: order ?? (by === 'path' ? 'asc' : 'desc') } as const
}

/** A path as it is looked up: what no file has is found nowhere. */
export const anyPath = z
  .string()
  .transform((text) => text.normalize('NFC'))
  .describe('Folders and name, percent-encoded; slashes as they are or as %2F')

export const onConflict = z
  .enum(['keep', 'fail', 'replace'])
  .describe(
    'When the path is taken: `keep` both, `fail` with 409 `path_taken`, or `replace` the file there, which goes to the trash',
  )
