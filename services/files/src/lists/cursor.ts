import { createHash } from 'node:crypto'
import { AppError } from '@tideport/service-kit/process/app-error'
import { z } from 'zod'

export interface ListOrder {
  sortBy: 'createdAt' | 'name'
  order: 'asc' | 'desc'
}

/** Where a page ended: the sort column's value (a UTC time with microseconds, or a name) and the id that breaks ties. */
export interface ListPosition {
  value: string
  id: string
  /** Whether the page ended because enough was looked through: there is no other way than to go on looking. */
  isCut: boolean
}

/** Microseconds, because rows of one millisecond would be skipped or repeated; years that Postgres can read. */
const time = z.iso.datetime({ precision: 6 }).regex(/^[1-9]/)
const name = z.string().regex(/^[^\0]*$/)

/** An opaque cursor, good only for the next page of the very list that `list` describes: its kind, filters and order. */
export function encodeCursor(list: ListOrder & Record<string, unknown>, { value, id, isCut }: ListPosition): string {
  return Buffer.from(JSON.stringify([digestOf(list), value, id, isCut])).toString('base64url')
}

/** Throws 400 for anything that `encodeCursor` did not make for this list. */
export function decodeCursor(list: ListOrder & Record<string, unknown>, cursor: string): ListPosition {
  const shape = z.tuple([z.literal(digestOf(list)), list.sortBy === 'name' ? name : time, z.uuid(), z.boolean()])
  const { success, data } = shape.safeParse(parse(cursor))
  if (!success) throw invalidCursor()
  const [, value, id, isCut] = data
  return { value, id, isCut }
}

function digestOf(list: Record<string, unknown>): string {
  const described = JSON.stringify(Object.entries(list).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return createHash('sha256').update(described).digest('base64url').slice(0, 11)
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
}

function invalidCursor(): AppError {
  const issues = [{ path: 'cursor', message: 'Must be the nextCursor of a list with the same sort and filters' }]
  return new AppError('validation_failed', 'The request query is not valid', { details: { issues } })
}
