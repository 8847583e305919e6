import type { Copy } from '@tideport/contracts/public/file-actions'
import type { DeletedFile } from '@tideport/contracts/public/trash'
import type { Networks } from '../copies/networks.ts'
import { isNamed } from '../state/file-copies.ts'
import type { CopyRow } from '../state/tables.ts'
import { toInstant } from './file-views.ts'

/** A file's copies as its owner sees them, in the order of the networks; those of networks that are not there last. */
export function toCopies(copies: readonly CopyRow[], networks: Pick<Networks, 'get' | 'order'>): Copy[] {
  return inOrder(copies, networks).map((row) => ({
    network: row.network,
    driver: networks.get(row.network)?.driver ?? null,
    // The row names the copy before it is permanent.
    blobId: row.storedAt === null ? null : row.blobId,
    state: row.state === 'planned' && row.lostAt !== null ? 'lost' : row.state,
    storedAt: toInstant(row.storedAt),
    provedAt: toInstant(row.provedAt),
    checkedAt: toInstant(row.checkedAt),
    checks: { ok: row.checksOk, failed: row.checksFailed },
    leaseExpiresAt: toInstant(row.leaseExpiresAt),
  }))
}

/** What a purge does to each copy. Without a blob id there is none that could outlive it. */
export function toNetworkCopies(
  copies: readonly CopyRow[],
  networks: Pick<Networks, 'get' | 'order'>,
): DeletedFile['networkCopies'] {
  const kept = copies.filter((copy) => isNamed(copy) && copy.state !== 'dropped')
  return inOrder(kept, networks).map(({ network, leaseExpiresAt }) =>
    networks.get(network)?.caps.removes === false
      ? { network, outcome: 'expires', expiresAt: toInstant(leaseExpiresAt) }
      : { network, outcome: 'released', expiresAt: null },
  )
}

function inOrder(copies: readonly CopyRow[], { order }: Pick<Networks, 'order'>): CopyRow[] {
  const place = ({ network }: CopyRow) => (order.includes(network) ? order.indexOf(network) : order.length)
  return copies.toSorted((a, b) => place(a) - place(b) || (a.network < b.network ? -1 : 1))
}
