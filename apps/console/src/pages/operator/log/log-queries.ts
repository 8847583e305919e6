import { listOperatorEvents, listOperatorWebhookEvents } from '@tideport/sdk'
import { client } from '../../../api/client.ts'
import { usePages } from '../../../api/use-pages.ts'
import { isOver, mergeLogs, type Place } from './merge-logs.ts'

/** Each service keeps what was asked of it. */
const logs = [listOperatorEvents, listOperatorWebhookEvents] as const

/** What operators asked for of whichever service, newest first. */
export const useOperatorLog = () =>
  usePages(['operator', 'log'], async ({ cursor, signal }) => {
    const before: readonly Place[] = cursor === undefined ? logs.map(() => ({ rest: [] })) : JSON.parse(cursor)
    const places = await Promise.all(before.map((place, index) => readOn(place, index, signal)))
    const { items, rest } = mergeLogs(places)
    return { items, nextCursor: rest.every(isOver) ? null : JSON.stringify(rest) }
  })

async function readOn(place: Place, index: number, signal: AbortSignal): Promise<Place> {
  const list = logs[index]
  if (list === undefined || place.rest.length > 0 || place.cursor === null) return place
  const { events, nextCursor } = await list(client(), { cursor: place.cursor }, { signal }).page()
  return { rest: events, cursor: nextCursor }
}
