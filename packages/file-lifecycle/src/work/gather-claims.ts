import { gatherStatements } from '@tideport/service-kit/postgres/gather-statements'
import type { Kysely } from 'kysely'
import type { ClaimedCopy } from '../state/copy-transitions.ts'
import type { FilesDb } from '../state/tables.ts'
import { claimCopiesOf, claimCopy } from './claim.ts'
import type { CopyStep } from './steps.ts'

/** `claimCopy`, where what is asked for at once on one network is one statement (docs/adr/0053). */
export function gatherClaims(
  db: Kysely<FilesDb>,
  step: CopyStep,
): (copy: { fileId: string; network: string }) => Promise<ClaimedCopy | null> {
  const claims = gatherStatements<{ fileId: string; network: string }, ClaimedCopy | null>(
    (asked) => {
      const [{ network }] = asked
      return claimCopiesOf(db, { network, fileIds: asked.map(({ fileId }) => fileId) }, step)
    },
    { lingers: true },
  )
  return async (copy) => (await claims(copy.network, copy)) ?? (await claimCopy(db, copy, step))
}
