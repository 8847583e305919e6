import { listOperatorEvents, listOperatorWebhookEvents, type OperatorEvent } from '@tideport/sdk'
import { client } from '../../../api/client.ts'
import { usePages } from '../../../api/use-pages.ts'

/** Each service keeps what was asked of it. */
const logs = [listOperatorEvents, listOperatorWebhookEvents] as const

/** How far a log was read. */
interface Place {
  /** Read already, and older than what is shown so far. */
  rest: readonly OperatorEvent[]
  /** Null: to its end; undefined: not at all. */
  cursor?: string | null
}

/** What operators asked for of whichever service, newest first. */
export const useOperatorLog = () =>
  usePages(['operator', 'log'], async ({ cursor, signal }) => {
    const before: readonly Place[] = cursor === undefined ? logs.map(() => ({ rest: [] })) : JSON.parse(cursor)
    const places = await Promise.all(before.map((place, index) => readOn(place, index, signal)))
    const { items, rest } = merge(places)
    return { items, nextCursor: rest.every(isOver) ? null : JSON.stringify(rest) }
  })

async function readOn(place: Place, index: number, signal: AbortSignal): Promise<Place> {
  const list = logs[index]
  if (list === undefined || place.rest.length > 0 || place.cursor === null) return place
  const { events, nextCursor } = await list(client(), { cursor: place.cursor }, { signal }).page()
  return { rest: events, cursor: nextCursor }
}

/** Behind every time: a page may have nothing, and the next one something. */
const later = '~'

/** What can be shown: nothing older than what a log may still have that was not read to its end. */
function merge(places: readonly Place[]): { items: OperatorEvent[]; rest: Place[] } {
  const horizons = places.map(({ rest, cursor }) => (cursor === null ? '' : (rest.at(-1)?.at ?? later)))
  const horizon = horizons.toSorted().at(-1) ?? ''
  const items = places.flatMap(({ rest }) => rest.filter(({ at }) => at >= horizon))
  return {
    items: items.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)),
    rest: places.map((place) => ({ ...place, rest: place.rest.filter(({ at }) => at < horizon) })),
  }
}

const isOver = ({ rest, cursor }: Place): boolean => rest.length === 0 && cursor === null
