import { z } from 'zod'

/** Digits only: rejects `1e1` and empty texts, which are probably mistakes. */
function readDigits(text: string | number): unknown {
  return typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : text
}

export const wholeNumber = ({ min, max }: { min: number; max: number }) =>
  z.transform(readDigits).pipe(z.number().int().min(min).max(max)).meta({ type: 'integer' })

export const pageQuery = {
  limit: z
    .transform(readDigits)
    .pipe(z.number().min(1))
    .transform((limit) => Math.min(limit, 100))
    .default(50)
    .meta({ description: 'Items per page; values above 100 count as 100', type: 'integer' }),
  cursor: z.string().min(1).max(4096).optional().describe('`nextCursor` of the previous page'),
}

/** The same for lists of files, which can also be sorted by `path` within a vault. */
export const fileSortQuery = {
  sortBy: z
    .enum(['createdAt', 'name', 'path'])
    .optional()
    .describe(
      'Default: `path` with `prefix` or `delimiter`, else `createdAt`. `path` needs one vault and is in byte order',
    ),
  order: z.enum(['asc', 'desc']).optional().describe('Default: `asc` by path, else `desc`'),
}

export const sortQuery = {
  sortBy: z.enum(['createdAt', 'name']).default('createdAt'),
  order: z.enum(['asc', 'desc']).default('desc'),
}

export const nextCursor = z
  .string()
  .nullable()
  .describe('Cursor of the next page; null on the last page only. Earlier pages may be short or empty')

export const flag = z.enum(['true', 'false']).transform((value) => value === 'true')

/** ISO 8601, UTC, milliseconds. */
export const instant = z.iso.datetime({ precision: 3 })

/** A time in a query, with any offset; converted to UTC with milliseconds. Limited to years that Postgres can read. */
export const moment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^\d{4}-/.test(text) && !text.startsWith('0000'), 'Must be in the years 1 to 9999 (UTC)')
