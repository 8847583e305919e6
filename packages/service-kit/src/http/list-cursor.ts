import { uuid } from '@tideport/contracts/public/id'
import { type QueryExecutorProvider, sql } from 'kysely'
import { z } from 'zod'
import { createSecretBox, type SecretBox } from '../secrets/secret-box.ts'
import { type InputPart, invalidInput } from './invalid-input.ts'

/** A time that Postgres can read: a four-digit year, and the milliseconds that a millisecond column keeps. */
const time = z.iso.datetime({ precision: 3 }).regex(/^[1-9]/)

/** Schemas for parts of a position. A microsecond column needs all six digits, or rows are skipped or repeated. */
export const positionParts = {
  id: uuid,
  time: z.codec(time, z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() }),
  microseconds: z.iso.datetime({ precision: 6 }).regex(/^[1-9]/),
  text: z.string().regex(/^[^\0]*$/),
}

/** The cursors of one list, valid only for the next page of the same list and reader. */
export interface ListCursor<Position> {
  encode(position: Position): string
  /** Null for the first page. Throws `validation_failed` with `part` for a cursor that `encode` did not create. */
  decode(cursor: string | undefined, part?: InputPart): Position | null
}

/** Reader (an account, a link, or a name for everyone else), name, filters (undefined: none), and order of a list. */
export interface NamedList {
  reader: string
  [filter: string]: unknown
}

/**
 * Encrypts cursors for their list (AES-256-GCM): a position may name a hidden row, and no cursor can be forged. One key
 * for each `db`.
 */
export async function listCursor<Position>(
  db: QueryExecutorProvider,
  list: NamedList,
  shape: z.ZodType<Position>,
): Promise<ListCursor<Position>> {
  return sealedCursor(await boxOf(db), list, shape)
}

/** Like `listCursor`, with the caller's key. The box must be repeatable. */
export function sealedCursor<Position>(
  box: SecretBox,
  list: NamedList,
  shape: z.ZodType<Position>,
): ListCursor<Position> {
  const owner = describe(list)
  return {
    encode: (position) => box.seal(JSON.stringify(z.encode(shape, position)), owner),
    decode(cursor, part = 'query') {
      if (cursor === undefined) return null
      const { success, data } = shape.safeParse(open(box, cursor, owner))
      if (success) return data
      const issues = [{ path: 'cursor', message: 'Must be the nextCursor of a list with the same order and filters' }]
      throw invalidInput(part, issues)
    },
  }
}

/** Cuts a page out of `limit + 1` rows. With fewer rows, `end` is the position at which the search stopped. */
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

const boxes = new WeakMap<QueryExecutorProvider, SecretBox>()

/** The key is read once per pool. */
async function boxOf(db: QueryExecutorProvider): Promise<SecretBox> {
  const known = boxes.get(db)
  if (known !== undefined) return known
  const { rows } = await sql<{ key: Buffer }>`select key from cursor_key`.execute(db)
  const box = createSecretBox(
    rows.map(({ key }) => key),
    { isRepeatable: true },
  )
  boxes.set(db, box)
  return box
}

function describe(list: NamedList): string {
  const given = Object.entries(list).filter(([, value]) => value !== undefined)
  return JSON.stringify(given.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function open(box: SecretBox, cursor: string, owner: string): unknown {
  try {
    return JSON.parse(box.open(cursor, owner))
  } catch {
    return null
  }
}
