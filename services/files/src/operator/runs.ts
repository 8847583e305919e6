import type { Returned } from '@tideport/contracts/endpoint/two-sides'
import { cancelRun, listRuns, readRun, startRun } from '@tideport/contracts/public/operator-runs'
import type { NetworkNames } from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { cancelRun as cancel, createRun, findRun, type OperatorRun } from '@tideport/repair/runs/operator-run'
import { invalidInput } from '@tideport/service-kit/http/invalid-input'
import { recordOperation } from '@tideport/service-kit/http/operator-log'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { readPage } from '../lists/list-page.ts'

const COST = 9

interface Deps {
  db: Kysely<FilesDb>
  networks: NetworkNames
}

export function runRoutes(deps: Deps) {
  return {
    startRun: startRunRoute(deps),
    listRuns: listRunsRoute(deps),
    readRun: serve(readRun, async ({ params: { runId } }) => toRun(await getRun(deps.db, runId))),
    cancelRun: cancelRunRoute(deps),
  }
}

function startRunRoute({ db, networks }: Deps) {
  return serve(startRun, async ({ body, principal, request: asked, charge }) => {
    charge(COST)
    assertFits(body, networks)
    const { kind, ...request } = body
    const id = uuidv7()
    const { after = null, sample = null, network = null, dryRun } = request
    const details = { runId: id, dryRun, after, sample, network }
    await recordOperation(db, { principal, request: asked }, { kind: `${kind}.started`, details })
    const { accountId, subject = null } = principal
    const run = await createRun(db, { id, kind, request, accountId, subject })
    if (run === null)
      throw new AppError('state_conflict', `A ${kind} run is in progress. Wait until it finishes, or cancel it.`)
    return toRun(run)
  })
}

function assertFits({ kind, after, sample, network }: RouteInput<typeof startRun>['body'], { order }: NetworkNames) {
  const strange = kind === 'reconcile' ? { sample, network } : { after }
  const [name] = Object.entries(strange).find(([, value]) => value !== undefined) ?? []
  if (name !== undefined) throw invalid(name, `Is not an option of ${kind}`)
  if (network !== undefined && !order.includes(network)) throw invalid('network', `Must be one of ${order.join(', ')}`)
}

const invalid = (path: string, message: string) => invalidInput('body', [{ path, message }])

function listRunsRoute({ db }: Deps) {
  return serve(listRuns, async ({ query }) => {
    const { rows, nextCursor } = await readPage<OperatorRun>(
      db,
      { ...query, sortBy: 'createdAt', order: 'desc' },
      { reader: 'operators', list: 'runs' },
      ({ position, isNext, orderBy, limit }) => sql`
        select *, ${position} as position from operator_run where ${isNext} order by ${orderBy} limit ${limit}`,
    )
    return { runs: rows.map(toRun), nextCursor }
  })
}

function cancelRunRoute({ db }: Deps) {
  return serve(cancelRun, async ({ params: { runId }, principal, request }) => {
    const run = await getRun(db, runId)
    await recordOperation(db, { principal, request }, { kind: `${run.kind}.cancelled`, details: { runId } })
    return toRun((await cancel(db, runId)) ?? (await findRun(db, runId)) ?? run)
  })
}

async function getRun(db: Kysely<FilesDb>, runId: string): Promise<OperatorRun> {
  const run = await findRun(db, runId)
  if (run === null) throw notFound()
  return run
}

function toRun(row: OperatorRun): Returned<typeof readRun> {
  const { id, kind, state, place, counts, findings, error, accountId, subject, request } = row
  const { dryRun, after = null, sample = null, network = null } = request
  return {
    ...{ id, kind, state, dryRun, after, sample, network, place, counts, findings, error, accountId, subject },
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    updatedAt: row.updatedAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}
