import { reloadFile } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { findOccupant } from '@tideport/file-lifecycle/state/take-path'
import { hotTakings, markHot } from '@tideport/file-lifecycle/state/transitions'
import { alone } from '@tideport/file-lifecycle/state/writes'
import { currentCause } from '@tideport/service-kit/context/request-context'
import type { Kysely } from 'kysely'
import type { JobDeps } from '../jobs/advance-job.ts'
import { unlessOvertaken } from '../jobs/crossed.ts'

const TAKINGS_MAX = 10

/** Makes a copy hot in the current transaction. False: its path is taken, and it may not replace. */
export async function confirmCopy(
  trx: Kysely<FilesDb>,
  { networks, trashRetentionSeconds: retentionSeconds }: Pick<JobDeps, 'networks' | 'trashRetentionSeconds'>,
  upload: FileRow,
): Promise<boolean> {
  for (let taking = 0; taking < TAKINGS_MAX; taking += 1) {
    const file = await reloadFile(trx, upload.id)
    if (file === null || file.purgingAt !== null) throw new Error(`The copy ${upload.id} was thrown away meanwhile`)
    // Its owner has confirmed it.
    if (file.status !== 'uploading') return true
    if (file.onConflict === 'keep') {
      if (await markHot(alone(trx), file, networks)) return true
      continue
    }
    if (file.onConflict === 'fail' && (await findOccupant(trx, file)) !== null) return false
    const item = { file, networks, retentionSeconds, cause: currentCause() }
    const [hot] = (await unlessOvertaken(trx, () => hotTakings.write(trx, [item], { unlessHeld: false }))) ?? [null]
    if (hot) return true
  }
  return false
}
