import { AppError } from '@tideport/service-kit/process/app-error'
import { z } from 'zod'

/** Where a page ended. */
export interface EventPlace {
  at: Date
  id: string
}

const content = z.tuple([z.string(), z.int(), z.uuid()])

/** `list` names the filters: a cursor is good for no other list. */
export function encodePlace(list: string, { at, id }: EventPlace): string {
  return Buffer.from(JSON.stringify([list, at.getTime(), id])).toString('base64url')
}

/** Throws 400 for anything that `encodePlace` did not make for this list. */
export function decodePlace(list: string, cursor: string): EventPlace {
  const { success, data } = content.safeParse(parse(Buffer.from(cursor, 'base64url').toString()))
  if (success && data[0] === list) return { at: new Date(data[1]), id: data[2] }
  const issues = [{ path: 'cursor', message: 'Must be the nextCursor of a list with the same filters' }]
  throw new AppError('validation_failed', 'The request query is not valid', { details: { issues } })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
