import { AppError } from '@tideport/service-kit/process/app-error'
import { z } from 'zod'

/** What a page was sorted and filtered by. A cursor is good for the next page of the very same list only. */
export interface ListOrder {
  sortBy: 'createdAt' | 'name'
  order: 'asc' | 'desc'
  includeRevoked: boolean
}

/** Where the page before ended: the sort column's value (an ISO time or a name) and the id that breaks ties. */
export interface ListPosition {
  value: string
  id: string
}

const position = z.tuple([z.iso.datetime({ precision: 3 }).or(z.string().regex(/^[^\0]*$/)), z.uuid()])

export function encodeCursor(list: ListOrder, { value, id }: ListPosition): string {
  return Buffer.from(JSON.stringify([...signature(list), value, id])).toString('base64url')
}

/** Throws 400 for anything that `encodeCursor` did not make for this list. */
export function decodeCursor(list: ListOrder, cursor: string): ListPosition {
  const expected = signature(list)
  const parts = parse(cursor)
  const isForThisList = expected.every((part, index) => parts[index] === part)
  const { success, data } = position.safeParse(parts.slice(expected.length))
  const isTime = success && z.iso.datetime({ precision: 3 }).safeParse(data[0]).success
  if (!isForThisList || !success || (list.sortBy === 'createdAt' && !isTime)) throw invalidCursor()
  return { value: data[0], id: data[1] }
}

function signature({ sortBy, order, includeRevoked }: ListOrder) {
  return [sortBy, order, includeRevoked] as const
}

function parse(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

function invalidCursor(): AppError {
  const issues = [{ path: 'cursor', message: 'Must be the nextCursor of a list with the same sort and filters' }]
  return new AppError('validation_failed', 'The request query is not valid', { details: { issues } })
}
