import { noteMended } from '@tideport/file-lifecycle/copies/open-source'
import { nameOf } from '@tideport/file-lifecycle/state/copy-transitions'
import { inParallel } from '@tideport/service-kit/process/in-parallel'
import { NetworkError } from '@tideport/storage-network/errors'
import { sql } from 'kysely'
import type { Progress } from '../reconcile/progress.ts'
import type { Tiers } from '../reconcile/tiers.ts'
import type { Batch, HeldCopy } from './read-copies.ts'

type Deps = Pick<Tiers, 'db' | 'networks' | 'log'>

/** A copy that could not be proved. */
export interface FailedProof {
  fileId: string
  accountId: string
  status: string
  network: string
  blobId: string
  outcome: string
}

/** Reads each copy in full, in batches. */
export async function* verifyCopies(
  deps: Deps,
  batches: AsyncIterable<Batch>,
  signal: AbortSignal,
): AsyncGenerator<Progress<FailedProof>> {
  for await (const { copies, last } of batches) {
    const counts = { proved: 0, failed: 0, changed: 0, bytes: 0 }
    const findings: FailedProof[] = []
    await inParallel(copies, async (held) => {
      const { file, copy } = held
      const outcome = await verifyCopy(deps, held, signal)
      if (outcome === 'proved') counts.bytes += file.sizeBytes
      if (outcome === 'proved' || outcome === 'changed') counts[outcome] += 1
      else {
        counts.failed += 1
        const { id: fileId, accountId, status } = file
        findings.push({ fileId, accountId, status, network: copy.network, blobId: copy.blobId, outcome })
      }
    })
    yield { counts, findings, next: last ?? null, isSettled: true }
  }
}

/** `changed`: the copy was purged, dropped, or stored again after it was read. */
async function verifyCopy(
  deps: Deps,
  held: HeldCopy,
  signal: AbortSignal,
): Promise<'proved' | 'changed' | 'absent' | 'mismatch' | 'unreadable'> {
  const { file, copy } = held
  const network = deps.networks.get(copy.network)
  if (network === undefined) throw new Error(`${copy.network} is not configured`)
  const expected = { sha256: file.sha256 ?? '', sizeBytes: file.sizeBytes }
  const proof = await network.prove(nameOf(copy), expected, signal).catch((error: unknown) => {
    if (error instanceof NetworkError && error.code === 'copy_failed') return { ok: false, reason: 'unreadable' } as const // biome-ignore format: one chain
    throw error
  })
  if (!proof.ok && proof.reason === 'unreadable') return 'unreadable'
  await noteMended(deps, copy, proof)
  const isSame = await noteCheck(deps, held, proof.ok)
  if (proof.ok) return 'proved'
  return isSame ? proof.reason : 'changed'
}

/** Records the check in the row, if the row is unchanged. Eviction handles a failed copy and checks it immediately. */
async function noteCheck({ db }: Deps, { file, copy }: HeldCopy, isHeld: boolean): Promise<boolean> {
  const counted = isHeld
    ? sql`checks_ok = checks_ok + 1, checked_at = now()`
    : sql`checks_failed = checks_failed + 1, checked_at = now(), due_at = least(due_at, now())`
  const { rows } = await sql`
    update copy set ${counted}
    where file_id = ${copy.fileId} and network = ${copy.network} and reference = ${copy.reference}
      and state = ${copy.state}
      and exists (select from file where id = ${file.id} and version = ${file.version} and purging_at is null)
    returning 1`.execute(db)
  return rows.length > 0
}
