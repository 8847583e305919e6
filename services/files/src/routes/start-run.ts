import { startRun } from '@tideport/contracts/public/operator-runs'
import { createRun } from '@tideport/file-lifecycle/repair/runs/operator-run'
import type { NetworkNames } from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { invalidInput } from '@tideport/service-kit/http/invalid-input'
import { recordOperation } from '@tideport/service-kit/http/operator-log'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { toRun } from '../operator/run-view.ts'

/** Beside the request itself. */
const COST = 9

/** `POST /api/operator/runs`: eviction carries it on. */
export function startRunRoute({ db, networks }: { db: Kysely<FilesDb>; networks: NetworkNames }) {
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
    if (run === null) throw new AppError('state_conflict', `A ${kind} is under way; wait for its end, or cancel it`)
    return toRun(run)
  })
}

function assertFits({ kind, after, sample, network }: RouteInput<typeof startRun>['body'], { order }: NetworkNames) {
  const strange = kind === 'reconcile' ? { sample, network } : { after }
  const [name] = Object.entries(strange).find(([, value]) => value !== undefined) ?? []
  if (name !== undefined) throw invalid(name, `Is nothing that ${kind} takes`)
  if (network !== undefined && !order.includes(network))
    throw invalid('network', `The networks are ${order.join(', ')}`)
}

const invalid = (path: string, message: string) => invalidInput('body', [{ path, message }])
