import type { DeadLetterKind } from '@tideport/contracts/public/operator-dead-letters'
import type { Place } from '@tideport/file-lifecycle/repair/dead-letters/look'
import { type ListCursor, listCursor, positionParts } from '@tideport/service-kit/http/list-cursor'
import { z } from 'zod'

/** The cursors of a list of dead letters with these filters. */
export function placeCursor(kind: DeadLetterKind, list: Record<string, unknown>): ListCursor<Place> {
  const { id, text, microseconds } = positionParts
  return listCursor({ ...list, kind }, z.object({ key: kind === 'copies' ? text : microseconds, id }))
}
