import type { Returned } from '@tideport/contracts/endpoint/two-sides'
import { redriveDeadLetters } from '@tideport/contracts/public/operator-dead-letters'
import type { RetryDeps } from '@tideport/file-lifecycle/copies/retry-file'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import type { Look, Place } from '@tideport/repair/dead-letters/look'
import { type FileSeen, findFiles, lookToRedrive, redriveFile } from '@tideport/repair/dead-letters/redrive'
import { asOperator } from '@tideport/repair/runs/as-operator'
import { recordOperation } from '@tideport/service-kit/http/operator-log'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import { inParallel } from '@tideport/service-kit/process/in-parallel'
import type { FilesConfig } from '../config.ts'
import { placeCursor } from './place-cursor.ts'

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
    throw new AppError('validation_failed', 'Name fileIds alone, or a kind with filters')
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
