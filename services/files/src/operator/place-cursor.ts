import type { DeadLetterKind } from '@tideport/contracts/public/operator-dead-letters'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Place } from '@tideport/repair/dead-letters/look'
import { type ListCursor, listCursor, positionParts } from '@tideport/service-kit/http/list-cursor'
import type { Kysely } from 'kysely'
import { z } from 'zod'

export function placeCursor(
  db: Kysely<FilesDb>,
  kind: DeadLetterKind,
  list: Record<string, unknown>,
): Promise<ListCursor<Place>> {
  const { id, text, microseconds } = positionParts
  const shape = z.object({ key: kind === 'copies' ? text : microseconds, id })
  return listCursor(db, { ...list, reader: 'operators', kind }, shape)
}
