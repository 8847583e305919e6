import type { OperatorEvent } from '@tideport/sdk'

/** How far a log was read. */
export interface Place<Event = OperatorEvent> {
  /** Read already, and older than what is shown so far. */
  rest: readonly Event[]
  /** Null: to its end; undefined: not at all. */
  cursor?: string | null
}

/** Behind every time: a page may have nothing, and the next one something. */
const later = '~'

/**
 * Of logs that are each read so far, newest first, what can be shown as one: nothing older than what a log may still have
 * that was not read to its end. What is left of each is shown later.
 */
export function mergeLogs<Event extends { at: string }>(
  places: readonly Place<Event>[],
): { items: Event[]; rest: Place<Event>[] } {
  const horizons = places.map(({ rest, cursor }) => (cursor === null ? '' : (rest.at(-1)?.at ?? later)))
  const horizon = horizons.toSorted().at(-1) ?? ''
  const items = places.flatMap(({ rest }) => rest.filter(({ at }) => at >= horizon))
  return {
    items: items.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)),
    rest: places.map((place) => ({ ...place, rest: place.rest.filter(({ at }) => at < horizon) })),
  }
}

export const isOver = ({ rest, cursor }: Place<unknown>): boolean => rest.length === 0 && cursor === null
