import { type DeadLetter, listDeadLetters } from '@tideport/contracts/public/operator-dead-letters'
import type { NetworkNames } from '@tideport/file-lifecycle/state/file-copies'
import type { CopyRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type FailedCopy, lookForFailedCopies } from '@tideport/repair/dead-letters/failed-copies'
import { type FileInError, lookForErrors } from '@tideport/repair/dead-letters/files-in-error'
import type { DeadLetterFilter, Look, Place } from '@tideport/repair/dead-letters/look'
import { lookForUnpublished, type UnpublishedEvent } from '@tideport/repair/dead-letters/unpublished-events'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import { placeCursor } from './place-cursor.ts'

const COST = 4

interface Deps {
  db: Kysely<FilesDb>
  networks: NetworkNames
}

export function listDeadLettersRoute(deps: Deps) {
  return serve(listDeadLetters, async ({ query, charge }) => {
    charge(COST)
    const { kind, limit, cursor, error: errorCode, olderThanSeconds } = query
    const cursors = await placeCursor(deps.db, kind, { list: 'dead letters', errorCode, olderThanSeconds })
    const look = await looks[kind](deps, { errorCode, olderThanSeconds }, cursors.decode(cursor), limit)
    return { deadLetters: look.rows, nextCursor: look.end && cursors.encode(look.end) }
  })
}

type LookFor = (deps: Deps, filter: DeadLetterFilter, after: Place | null, limit: number) => Promise<Look<DeadLetter>>

const looks: Record<DeadLetter['kind'], LookFor> = {
  async files({ db }, ...asked) {
    const { rows, end } = await lookForErrors(db, ...asked)
    return { rows: await withCopies(db, rows), end }
  },
  async copies({ db, networks }, ...asked) {
    const { rows, end } = await lookForFailedCopies(db, networks.order, ...asked)
    return { rows: rows.map(toCopyLetter), end }
  },
  async events({ db }, ...asked) {
    const { rows, end } = await lookForUnpublished(db, ...asked)
    return { rows: rows.map(toEventLetter), end }
  },
}

async function withCopies(db: Kysely<FilesDb>, files: readonly FileInError[]): Promise<DeadLetter[]> {
  if (files.length === 0) return []
  const ids = files.map(({ id }) => id)
  const rows = await db.selectFrom('copy').selectAll().where('fileId', 'in', ids).orderBy('network').execute()
  const byFile = Map.groupBy(rows, ({ fileId }) => fileId)
  return files.map((file) => toFileLetter(file, byFile.get(file.id) ?? []))
}

const none = { status: null, sizeBytes: null, network: null, copies: null, event: null } as const

function toFileLetter(file: FileInError, copies: readonly CopyRow[]): DeadLetter {
  const { id, accountId, status, sizeBytes, errorCode: reason, erroredAt } = file
  const states = copies.map(({ network, state, lostAt }) => ({
    network,
    state: state === 'planned' && lostAt ? 'lost' : state,
  }))
  const since = erroredAt?.toISOString() ?? null
  return { ...none, kind: 'files', id, accountId, status, sizeBytes, copies: states, reason, since }
}

function toCopyLetter({ id, accountId, status, sizeBytes, network, reason, failedAt }: FailedCopy): DeadLetter {
  const since = failedAt?.toISOString() ?? null
  return { ...none, kind: 'copies', id, accountId, status, sizeBytes, network, reason, since }
}

function toEventLetter({ id, accountId, type: event, failure: reason, at }: UnpublishedEvent): DeadLetter {
  return { ...none, kind: 'events', id, accountId, event, reason, since: at.toISOString() }
}
