import type { OperatorEvent } from '@tideport/sdk'

export interface Place<Event = OperatorEvent> {
  /** Read, but older than the shown events. */
  rest: readonly Event[]
  /** Null: the end of the log; undefined: not read yet. */
  cursor?: string | null
}

/** Sorts after every time, because a full page can follow an empty one. */
const later = '~'

/** Merges logs that are each read newest first. Events older than an unread part of another log wait in `rest`. */
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
