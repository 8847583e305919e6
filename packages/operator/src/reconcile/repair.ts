import {
  confirmCopied,
  confirmStored,
  evictAtOnce,
  forgetRehydrated,
  giveUpLost,
  syncAnew,
  syncFromCopy,
} from '@tideport/file-lifecycle/repair/reconcile-file'
import { isLive } from '@tideport/file-lifecycle/state/live-file'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { claimWhere, releaseClaim, underClaim } from '@tideport/file-lifecycle/work/claim'
import { inTrace } from '@tideport/service-kit/context/request-context'
import { newTrace } from '@tideport/service-kit/context/trace-context'
import type { Reference } from '@tideport/storage-network/storage-network'
import { sql } from 'kysely'
import type { Installation } from '../open-installation.ts'
import { type Difference, inspect, inspectUnnamed } from './inspect.ts'

export type Repair = 'repaired' | 'in_error' | 'changed' | 'unproved'

type Deps = Pick<Installation, 'db' | 'hotTier' | 'network'>

/**
 * Brings a row to what is true, under a claim, so that no worker is at the file, and after another look under it. Nothing
 * outside is ever changed. `changed`: somebody was quicker. `unproved`: the copy is not the file's bytes.
 */
export async function repair(
  deps: Deps,
  seen: FileRow,
  difference: Difference,
  { copy, signal }: { copy: Reference | undefined; signal: AbortSignal },
): Promise<Repair> {
  const { db, hotTier, network } = deps
  const file = await claimWhere(db, seen.id, sql`version = ${seen.version} and ${isLive}`)
  if (file === null) return 'changed'
  try {
    return await underClaim(db, file, signal, async (claimed) => {
      // A bucket that is not there answers like one that holds nothing.
      await hotTier.health()
      await network.health(claimed)
      const again = await inspect(deps, file, claimed)
      if ((again === 'unnamed' ? inspectUnnamed(file, copy) : again) !== difference) return 'changed'
      const written = await inTrace(newTrace(), () => write(deps, file, difference, { copy, signal: claimed }))
      if (written === 'unproved') return 'unproved'
      if (written === null) return 'changed'
      return written.status === 'error' ? 'in_error' : 'repaired'
    })
  } finally {
    await releaseClaim(db, file)
  }
}

async function write(
  { db, network }: Deps,
  file: FileRow,
  difference: Difference,
  { copy, signal }: { copy: Reference | undefined; signal: AbortSignal },
): Promise<FileRow | 'unproved' | null> {
  const named = { network: network.id, blobId: copy?.blobId ?? file.blobId ?? '', ref: file.networkRef ?? {} }
  switch (difference) {
    case 'stored':
      return await confirmStored(db, file)
    case 'copied':
      return file.status === 'uploading' ? await confirmCopied(db, file, named) : await syncFromCopy(db, file, named)
    case 'evicted': {
      const expected = { sha256: file.sha256 ?? '', sizeBytes: file.sizeBytes }
      const proof = await network.prove(named.blobId, file.id, expected, signal)
      return proof.ok ? await evictAtOnce(db, file, { leaseExpiresAt: proof.expiresAt }) : 'unproved'
    }
    case 'dropped':
      return await forgetRehydrated(db, file)
    case 'uncopied':
      return await syncAnew(db, file)
    case 'lost':
      return await giveUpLost(db, file)
  }
}
