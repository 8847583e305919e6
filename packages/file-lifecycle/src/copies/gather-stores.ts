import { currentTrace } from '@tideport/service-kit/context/request-context'
import type { TraceContext } from '@tideport/service-kit/context/trace-context'
import { gatherStatements } from '@tideport/service-kit/postgres/gather-statements'
import type { Kysely } from 'kysely'
import { type ClaimedCopy, type HeldCopy, isHealed, markStored, nameCopy } from '../state/copy-transitions.ts'
import type { NetworkNames } from '../state/file-copies.ts'
import { type ClaimedCopyWith, markFirstStored, nameCopies } from '../state/many-copies.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'

type Name = Parameters<typeof nameCopy>[2]

/** What every copy on one network writes: `nameCopy` and `markStored`. */
export interface GatheredStores {
  name(claimed: ClaimedCopy, written: Name): Promise<FileRow | null>
  markStored(claimed: ClaimedCopy, written: HeldCopy): Promise<FileRow | null>
}

/**
 * Writes together what is stored at once on this network (docs/adr/0053). What such a statement leaves out is written
 * alone, as are copies that were lost and those that are not a file's first.
 */
export function gatherStores(
  db: Kysely<FilesDb>,
  network: string,
  options: Pick<NetworkNames, 'required' | 'order'> & { hotRetentionSeconds: number },
): GatheredStores {
  const names = gatherStatements<ClaimedCopyWith<Name>, FileRow | null>((named) => nameCopies(db, network, named), {
    lingers: true,
  })
  const firsts = gatherStatements<ClaimedCopyWith<HeldCopy & { trace: TraceContext }>, FileRow | null>(
    (stored) => markFirstStored(db, network, stored, options),
    { lingers: true },
  )
  return {
    async name(claimed, written) {
      const named = isHealed(claimed.copy) ? null : await names(network, { claimed, written })
      return named ?? (await nameCopy(db, claimed, written))
    },
    async markStored(claimed, written) {
      const isFirst = claimed.file.status === 'hot' && !isHealed(claimed.copy)
      const stored = isFirst ? await firsts(network, { claimed, written: { ...written, trace: currentTrace() } }) : null
      return stored ?? (await markStored(db, claimed, options, { ...written, ...options }))
    },
  }
}
