import { createHash } from 'node:crypto'
import { uuid } from '@tideport/contracts/public/id'
import { z } from 'zod'
import { type InputPart, invalidInput } from './invalid-input.ts'

/** Only what Postgres can read: a year of four digits, with the milliseconds that a column of them keeps. */
const time = z.iso.datetime({ precision: 3 }).regex(/^[1-9]/)

/** Shapes for the parts of a position. A column of microseconds needs all of them, or rows are skipped or repeated. */
export const positionParts = {
  id: uuid,
  time: z.codec(time, z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() }),
  microseconds: z.iso.datetime({ precision: 6 }).regex(/^[1-9]/),
  text: z.string().regex(/^[^\0]*$/),
}

/** The cursors of one list: opaque, and good only for the next page of that very list. */
export interface ListCursor<Position> {
  /** Keeps of `position` what its shape names: a row that has it will do. */
  encode(position: Position): string
  /**
   * Returns null for the first page. Throws `validation_failed`, which names the part of the request where the cursor
   * was sent, for anything that `encode` did not make for this list.
   */
  decode(cursor: string | undefined, part?: InputPart): Position | null
}

/**
 * `list` tells a list from all others: its name, filters (undefined: not filtered) and order. `shape` is where a page
 * of it ends.
 */
export function listCursor<Position>(list: Record<string, unknown>, shape: z.ZodType<Position>): ListCursor<Position> {
  const digest = digestOf(list)
  const content = z.tuple([z.literal(digest), shape])
  return {
    encode: (position) => Buffer.from(JSON.stringify(z.encode(content, [digest, position]))).toString('base64url'),
    decode(cursor, part = 'query') {
      if (cursor === undefined) return null
      const { success, data } = content.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()))
      if (success) return data[1]
      const issues = [{ path: 'cursor', message: 'Must be the nextCursor of a list with the same order and filters' }]
      throw invalidInput(part, issues)
    },
  }
}

/**
 * Cuts a page out of `limit + 1` rows, the last of which only tells that there are more. With fewer there may be more
 * behind `end`, as far as the list was looked through.
 */
export function toPage<Position, Row extends Position>(
  cursor: ListCursor<Position>,
  rows: readonly Row[],
  limit: number,
  end: Position | null = null,
): { page: Row[]; nextCursor: string | null } {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : end
  return { page, nextCursor: last ? cursor.encode(last) : null }
}

function digestOf(list: Record<string, unknown>): string {
  const given = Object.entries(list).filter(([, value]) => value !== undefined)
  const described = given.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(described)).digest('base64url').slice(0, 11)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
