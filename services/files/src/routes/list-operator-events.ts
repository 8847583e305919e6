import { listOperatorEvents } from '@tideport/contracts/public/operator-events'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { readOperations } from '@tideport/service-kit/http/operator-log'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'

/** `GET /api/operator/events`, newest first. */
export function listOperatorEventsRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listOperatorEvents, ({ query }) => readOperations(db, query))
}
