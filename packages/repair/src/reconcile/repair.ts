import { readBack } from '@tideport/file-lifecycle/copies/prove-copy'
import { markProved } from '@tideport/file-lifecycle/state/copy-transitions'
import { withCopies } from '@tideport/file-lifecycle/state/file-copies'
import { isLive, reloadFile } from '@tideport/file-lifecycle/state/queries'
import type { CopyRow, FileRow } from '@tideport/file-lifecycle/state/tables'
import { alone } from '@tideport/file-lifecycle/state/writes'
import { claimDue, claimOn, claimWhere, copyRows } from '@tideport/file-lifecycle/work/claim'
import { withFile, writeCopy } from '@tideport/file-lifecycle/work/claim-step'
import { inTrace } from '@tideport/service-kit/context/request-context'
import { newTrace } from '@tideport/service-kit/context/trace-context'
import { sql } from 'kysely'
import { type Inspection, inspect, inspectUnnamed } from './inspect.ts'
import { adoptCopies, confirmStored, evictAtOnce, forgetRehydrated, giveUpLost, loseCopies } from './reconcile-file.ts'
import type { Tiers } from './tiers.ts'

export type Repair = 'repaired' | 'in_error' | 'changed' | 'unproved'

/** No worker has claimed the file or a copy. */
const isNobodysWork = sql`not exists (
  select from copy where copy.file_id = file.id and copy.claimed_until > now())`

/**
 * Corrects a file's rows under a claim, after another inspection. Changes no bytes. `changed`: another request changed
 * the rows. `unproved`: a copy has other bytes.
 */
export async function repair(
  deps: Tiers,
  seen: FileRow,
  inspection: Inspection,
  { signal }: { signal: AbortSignal },
): Promise<Repair> {
  const { db, hotTier, networks } = deps
  const file = await claimWhere(db, seen.id, sql`version = ${seen.version} and ${isLive} and ${isNobodysWork}`)
  if (file === null) return 'changed'
  const claim = claimOn(db, file)
  try {
    return await claim.run(signal, async (claimed) => {
      // A missing bucket looks like an empty bucket.
      await hotTier.health('thoroughly')
      for (const network of networks.all()) await network.health(claimed)
      const found = await withCopies(db, file)
      const look = await inspect(deps, found, claimed)
      const again = look.kind === 'unnamed' ? inspectUnnamed(file, look, inspection.found) : look
      if (again.kind !== inspection.kind) return 'changed'
      const written = await inTrace(newTrace(), () => write(deps, file, again, claimed))
      if (written === 'unproved') return 'unproved'
      if (written === null) return 'changed'
      return written.status === 'error' ? 'in_error' : 'repaired'
    })
  } finally {
    await claim.release()
  }
}

async function write(
  { db, networks, log }: Tiers,
  file: FileRow,
  inspection: Inspection,
  signal: AbortSignal,
): Promise<FileRow | 'unproved' | null> {
  const { missing } = inspection
  switch (inspection.kind) {
    case 'stored':
      return await confirmStored(db, file, networks)
    case 'copied':
      return await adoptCopies(db, file, inspection, networks)
    case 'evicted': {
      const proved = await proveRequired({ db, networks, log }, file, signal)
      return proved === null || proved === 'unproved' ? proved : await evictAtOnce(db, proved, networks)
    }
    case 'dropped':
      return await forgetRehydrated(db, file)
    case 'uncopied':
      return await loseCopies(db, file, missing)
    case 'lost':
      return file.status === 'error'
        ? await loseCopies(db, file, missing)
        : await giveUpLost(db, file, networks, missing)
    default:
      return null
  }
}

type Deps = Pick<Tiers, 'db' | 'networks' | 'log'>

/** Time of an early second check. Later checks follow the setting of eviction. */
const CHECK_SECONDS = 86_400

/**
 * Reads each required copy of a claimed file in full, under its own claim, and marks it as proved. Null: another worker
 * has claimed the file or a copy.
 */
async function proveRequired(deps: Deps, file: FileRow, signal: AbortSignal): Promise<FileRow | 'unproved' | null> {
  const { db, networks } = deps
  for (const name of networks.required) {
    const where = sql`file_id = ${file.id} and network = ${name} and state in ('stored', 'proved')`
    const [copy] = await claimDue(db, copyRows, { where, by: sql`network` }, 1)
    if (copy === undefined) return null
    const outcome = await prove(deps, copy, signal).finally(() => claimOn(db, copy).release())
    if (outcome !== 'proved') return outcome
  }
  const again = await reloadFile(db, file.id)
  return again?.fencingToken === file.fencingToken ? again : null
}

async function prove(deps: Deps, copy: CopyRow, signal: AbortSignal): Promise<'proved' | 'unproved' | null> {
  const { db, networks } = deps
  const claimed = await withFile(db, copy)
  const network = networks.get(copy.network)
  if (claimed === null || network === undefined) return null
  return await claimOn(db, copy).run(signal, async (held) => {
    const proof = await readBack(deps, network, claimed, held)
    if (!proof.ok) return 'unproved'
    const answer = { leaseExpiresAt: proof.expiresAt, checkSeconds: CHECK_SECONDS }
    return (await writeCopy(db, claimed, (current) => markProved(alone(db), current, answer))) ? 'proved' : null
  })
}
