import { AppError } from '@tideport/service-kit/process/app-error'
import { z } from 'zod'

/** Where a page ended: the keyset of its last row. */
export interface Position {
  createdAt: Date
  id: string
}

const content = z.tuple([z.string(), z.int(), z.uuid()])

/** `list` names the list with its order and filters: a cursor is good for no other. */
export function encodeCursor(list: string, { createdAt, id }: Position): string {
  return Buffer.from(JSON.stringify([list, createdAt.getTime(), id])).toString('base64url')
}

/** Throws `validation_failed` for what is no cursor, or one of another list. */
export function decodeCursor(list: string, cursor: string): Position {
  const parsed = content.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()))
  if (!parsed.success || parsed.data[0] !== list) {
    throw new AppError('validation_failed', 'The cursor does not belong to this list', {
      details: {
        issues: [{ path: 'cursor', message: 'Must be the nextCursor of a page with the same order and filters' }],
      },
    })
  }
  return { createdAt: new Date(parsed.data[1]), id: parsed.data[2] }
}

/**
 * Cuts a page out of `limit + 1` rows, the last of which only tells that there are more. With fewer there may be more
 * behind `end`, as far as the list was looked through.
 */
export function toPage<R extends Position>(
  list: string,
  rows: readonly R[],
  limit: number,
  end: Position | null = null,
) {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : end
  return { page, nextCursor: last ? encodeCursor(list, last) : null }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
