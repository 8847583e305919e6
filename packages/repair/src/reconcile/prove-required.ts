import { readBack } from '@tideport/file-lifecycle/copies/prove-copy'
import { markProved } from '@tideport/file-lifecycle/state/copy-transitions'
import { reloadFile } from '@tideport/file-lifecycle/state/queries'
import type { CopyRow, FileRow } from '@tideport/file-lifecycle/state/tables'
import { alone } from '@tideport/file-lifecycle/state/writes'
import { claimDue, claimOn, copyRows } from '@tideport/file-lifecycle/work/claim'
import { withFile, writeCopy } from '@tideport/file-lifecycle/work/claim-step'
import { sql } from 'kysely'
import type { Tiers } from './tiers.ts'

type Deps = Pick<Tiers, 'db' | 'networks' | 'log'>

/** An early second check; later ones follow the setting of eviction. */
const CHECK_SECONDS = 86_400

/**
 * Reads each required copy of a claimed file in full, under its own claim, and marks it as proved. Null: another worker
 * has the file or a copy.
 */
export async function proveRequired(
  deps: Deps,
  file: FileRow,
  signal: AbortSignal,
): Promise<FileRow | 'unproved' | null> {
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
