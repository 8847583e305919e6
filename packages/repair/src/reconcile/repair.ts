import { withCopies } from '@tideport/file-lifecycle/state/file-copies'
import { isLive } from '@tideport/file-lifecycle/state/queries'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { claimOn, claimWhere } from '@tideport/file-lifecycle/work/claim'
import { inTrace } from '@tideport/service-kit/context/request-context'
import { newTrace } from '@tideport/service-kit/context/trace-context'
import { sql } from 'kysely'
import { type Inspection, inspect, inspectUnnamed } from './inspect.ts'
import { proveRequired } from './prove-required.ts'
import { adoptCopies, confirmStored, evictAtOnce, forgetRehydrated, giveUpLost, loseCopies } from './reconcile-file.ts'
import type { Tiers } from './tiers.ts'

export type Repair = 'repaired' | 'in_error' | 'changed' | 'unproved'

/** Nobody works on the file or a copy. */
const isNobodysWork = sql`not exists (
  select from copy where copy.file_id = file.id and copy.claimed_until > now())`

/**
 * Corrects a file's rows under a claim, after another inspection. Changes no bytes. `changed`: overtaken. `unproved`: a
 * copy has other bytes.
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
      // A missing bucket looks like an empty one.
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
