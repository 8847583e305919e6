import { z } from 'zod'

/** Digits only: `1e1` or an empty text is no number that somebody meant. */
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
    .meta({ description: 'Items per page; more than 100 is clamped', type: 'integer' }),
  cursor: z.string().min(1).max(4096).optional().describe('`nextCursor` of the previous page'),
}

/** The same of lists of files in one vault, where `path` is another order. */
export const fileSortQuery = {
  sortBy: z
    .enum(['createdAt', 'name', 'path'])
    .optional()
    .describe(
      '`path` where `prefix` or `delimiter` is given, else `createdAt`; `path` is of one vault, in the order of bytes',
    ),
  order: z.enum(['asc', 'desc']).optional().describe('`asc` by path, else `desc`'),
}

export const sortQuery = {
  sortBy: z.enum(['createdAt', 'name']).default('createdAt'),
  order: z.enum(['asc', 'desc']).default('desc'),
}

export const nextCursor = z
  .string()
  .nullable()
  .describe('Cursor of the next page; null on the last page only. Earlier pages may be short or even empty')

export const flag = z.enum(['true', 'false']).transform((value) => value === 'true')

/** ISO 8601, UTC, milliseconds. */
export const instant = z.iso.datetime({ precision: 3 })

/** A time in a query, with any offset; read as UTC with milliseconds. Of the years that the database can read too. */
export const moment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^\d{4}-/.test(text) && !text.startsWith('0000'), 'Must lie in the years 1 to 9999 (UTC)')
