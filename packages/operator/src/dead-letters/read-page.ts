import { type Look, lookThrough, type Place } from '@tideport/repair/dead-letters/look'
import { formatPlace, parsePlace } from '../options.ts'

export interface Page {
  limit: number
  olderThanSeconds: number | undefined
  errorCode: string | undefined
  after: string | undefined
  json: boolean
}

/** A page of rows, and where the next one begins. */
export async function readPage<Row extends { place: Place }>(
  { limit, after }: Pick<Page, 'limit' | 'after'>,
  look: (after: Place | null) => Promise<Look<Row>>,
  signal: AbortSignal,
): Promise<{ shown: Row[]; next: string | null }> {
  const page: Row[] = []
  for await (const row of lookThrough(look, parsePlace<Place>('after', after))) {
    signal.throwIfAborted()
    page.push(row)
    if (page.length > limit) break
  }
  const shown = page.slice(0, limit)
  const last = shown.at(-1)
  return { shown, next: page.length > limit && last ? formatPlace(last.place) : null }
}
