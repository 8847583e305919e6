import type { Returned } from '@tideport/contracts/endpoint/two-sides'
import {
  type DeadLetter,
  type DeadLetterKind,
  listDeadLetters,
  redriveDeadLetters,
} from '@tideport/contracts/public/operator-dead-letters'
import type { RetryDeps } from '@tideport/file-lifecycle/copies/retry-file'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import type { NetworkNames } from '@tideport/file-lifecycle/state/file-copies'
import type { CopyRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import {
  type DeadLetterFilter,
  type FailedCopy,
  type FileInError,
  type Look,
  lookForErrors,
  lookForFailedCopies,
  lookForUnpublished,
  type Place,
  type UnpublishedEvent,
} from '@tideport/repair/dead-letters/page-scan'
import { type FileSeen, findFiles, lookToRedrive, redriveFile } from '@tideport/repair/dead-letters/redrive'
import { asOperator } from '@tideport/repair/runs/as-operator'
import { type ListCursor, listCursor, positionParts } from '@tideport/service-kit/http/list-cursor'
import { recordOperation } from '@tideport/service-kit/http/operator-log'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import { inParallel } from '@tideport/service-kit/process/in-parallel'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { FilesConfig } from '../config.ts'

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

function placeCursor(
  db: Kysely<FilesDb>,
  kind: DeadLetterKind,
  list: Record<string, unknown>,
): Promise<ListCursor<Place>> {
  const { id, text, microseconds } = positionParts
  const shape = z.object({ key: kind === 'copies' ? text : microseconds, id })
  return listCursor(db, { ...list, reader: 'operators', kind }, shape)
}

const FILES_PER_REQUEST = 10

type Asked = RouteInput<typeof redriveDeadLetters>['body']
type Redriven = Returned<typeof redriveDeadLetters>['redriven'][number]

export interface RedriveDeps extends Omit<RetryDeps, 'settleSeconds'> {
  relay: Pick<Relay, 'wake'>
  config: Pick<FilesConfig, 'settleSeconds'>
}

export function redriveDeadLettersRoute({ relay, config: { settleSeconds }, ...deps }: RedriveDeps) {
  return serve(redriveDeadLetters, async ({ body, principal, request, charge, signal }) => {
    const { kind = null, fileIds, error = null, olderThanSeconds = null, dryRun } = body
    const { look, nextCursor } = await find(deps, body)
    charge(Math.ceil(look.rows.length / FILES_PER_REQUEST))
    const details = { kind, error, olderThanSeconds, dryRun, named: fileIds?.length ?? null, files: look.rows.length }
    await recordOperation(deps.db, { principal, request }, { kind: 'redrive', details })
    const outcomes = new Map<string, Redriven['outcome']>()
    await asOperator(() =>
      inParallel(look.rows, async (file) => {
        const how = { isDryRun: dryRun, signal }
        outcomes.set(file.id, await redriveFile({ ...deps, settleSeconds }, file, how))
      }),
    )
    if (!dryRun) relay.wake()
    const redriven = look.rows.map((file) => toRedriven(file, outcomes.get(file.id) ?? 'changed'))
    return { redriven: [...redriven, ...missing(fileIds, look.rows)], nextCursor }
  })
}

async function find(
  deps: Pick<RedriveDeps, 'db' | 'networks'>,
  { kind, fileIds, error: errorCode, olderThanSeconds, limit, cursor }: Asked,
): Promise<{ look: Look<FileSeen & { place?: Place }>; nextCursor: string | null }> {
  const hasFilters = [kind, errorCode, olderThanSeconds, cursor].some((filter) => filter !== undefined)
  if ((fileIds === undefined) !== hasFilters || (hasFilters && kind === undefined))
    throw new AppError('validation_failed', 'Send either fileIds, or kind with optional filters')
  if (fileIds !== undefined || kind === undefined)
    return { look: { rows: await findFiles(deps.db, fileIds ?? []), end: null }, nextCursor: null }
  const cursors = await placeCursor(deps.db, kind, { list: 'redrive', errorCode, olderThanSeconds })
  const look = await lookToRedrive(deps, kind, { errorCode, olderThanSeconds }, cursors.decode(cursor, 'body'), limit)
  return { look, nextCursor: look.end && cursors.encode(look.end) }
}

function toRedriven({ id, accountId, errorCode, erroredAt }: FileSeen, outcome: Redriven['outcome']): Redriven {
  return { fileId: id, accountId, reason: errorCode, since: erroredAt?.toISOString() ?? null, outcome }
}

function missing(fileIds: readonly string[] | undefined, found: readonly FileSeen[]): Redriven[] {
  const known = new Set(found.map(({ id }) => id))
  const others = [...new Set(fileIds)].filter((id) => !known.has(id))
  return others.map((fileId) => ({ fileId, accountId: null, reason: null, since: null, outcome: 'not_found' }))
}
