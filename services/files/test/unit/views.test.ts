import type { FileStatus } from '@tideport/contracts/public/files'
import { deletedFile } from '@tideport/contracts/public/trash'
import type { CopyRow, FileRow } from '@tideport/file-lifecycle/state/tables'
import { toFile } from '@tideport/file-lifecycle/views/file-views'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { describe, expect, it } from 'vitest'
import { toDeletedFile } from '../../src/files/trash-views.ts'

const at = new Date('2026-01-02T03:04:05.678Z')
const hot = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  accountId: '01890a5d-ac96-774b-bcce-b302099a8058',
  vaultId: '01890a5d-ac96-774b-bcce-b302099a8059',
  name: 'cat.png',
  path: 'pets/cat.png',
  replaces: null,
  replacedBy: null,
  metadata: null,
  tags: null,
  sealedMetadata: null,
  expiresAt: null,
  awaitingReview: false,
  mimeType: 'image/png',
  sizeBytes: 5,
  wrappedKey: 'wrapped',
  encryptionIv: 'iv',
  plaintextSizeBytes: 3,
  plaintextChecksumSha256: 'a'.repeat(64),
  status: 'hot' as FileStatus,
  errorCode: null,
  error: null,
  hotKey: 'hot/key',
  sha256: null,
  hotUntil: null,
  evictingAt: null,
  rehydrateDueAt: null,
  deletedAt: null,
  createdAt: at,
  updatedAt: at,
  confirmedAt: at,
  syncedAt: null,
  evictedAt: null,
} as unknown as FileRow
const synced: FileRow = { ...hot, status: 'synced', sha256: 'b'.repeat(64), syncedAt: at }

/** Has a blob ID but is not permanent yet. */
const planned = {
  fileId: hot.id,
  network: 'lake',
  reference: `${hot.id}_1`,
  blobId: 'bafy',
  ref: {},
  state: 'planned',
  attempt: 2,
  dueAt: at,
  lostAt: null,
  storedAt: null,
  provedAt: null,
  checkedAt: null,
  checksOk: 0,
  checksFailed: 0,
  leaseExpiresAt: null,
} as unknown as CopyRow
const stored: CopyRow = { ...planned, state: 'stored', attempt: 0, storedAt: at }
const order = ['lake', 'sea']
const shown = (...copies: CopyRow[]) => ({ copies, order })

/** Networks that remove dropped copies immediately, except those in `keep`. */
const networksThat = (keep: readonly string[] = []) => ({
  order,
  get: (name: string) =>
    order.includes(name)
      ? ({ driver: 'embedded', caps: { removes: !keep.includes(name) } } as StorageNetwork)
      : undefined,
})

describe('toFile', () => {
  it('returns the blob ID only of a permanent copy, and the checksum as soon as a confirmed file has one', () => {
    const staged = toFile({ ...hot, sha256: 'b'.repeat(64) }, shown(planned))
    expect(staged).toMatchObject({ storageNetworkBlobId: null, checksumSha256: 'b'.repeat(64), inHotCache: true })
    expect(toFile({ ...hot, status: 'uploading', sha256: 'b'.repeat(64) }, shown())).toMatchObject({
      checksumSha256: null,
      expectedBlobId: null,
    })
    const told = toFile(synced, shown(stored))
    expect(told).toMatchObject({ storageNetworkBlobId: 'bafy', checksumSha256: 'b'.repeat(64) })
  })

  it('returns the blob ID of the most preferred stored copy, and the earliest expiry of stored copies', () => {
    const end = new Date(at.getTime() + 1000)
    const sea = { ...stored, network: 'sea', blobId: 'blob', state: 'proved', leaseExpiresAt: end } as CopyRow
    const lake = { ...stored, leaseExpiresAt: at }
    expect(toFile(synced, shown(sea, lake))).toMatchObject({
      storageNetworkBlobId: 'bafy',
      leaseExpiresAt: at.toISOString(),
    })
    const lost = { ...lake, state: 'planned', lostAt: at } as CopyRow
    expect(toFile(synced, shown(sea, lost))).toMatchObject({
      storageNetworkBlobId: 'blob',
      leaseExpiresAt: end.toISOString(),
    })
  })
})

describe('toDeletedFile', () => {
  const leased = { ...stored, leaseExpiresAt: at }
  const trashed = { ...synced, purgingAt: null, purgeDueAt: at } as FileRow
  const told = (copies: CopyRow[], keep?: readonly string[], row = trashed) =>
    toDeletedFile(row, shown(...copies), networksThat(keep))

  it('reports that the copy is released if the network can remove it', () => {
    expect(told([leased])).toMatchObject({
      networkCopy: 'released',
      networkCopyExpiresAt: null,
      networkCopies: [{ network: 'lake', outcome: 'released', expiresAt: null }],
    })
  })

  it('reports the end of retention if the network cannot remove the copy', () => {
    const expiresAt = at.toISOString()
    expect(told([leased], ['lake'])).toMatchObject({
      networkCopy: 'expires',
      networkCopyExpiresAt: expiresAt,
      networkCopies: [{ network: 'lake', outcome: 'expires', expiresAt }],
    })
    const unnamed = { ...planned, blobId: null }
    expect(told([unnamed], ['lake'], { ...hot, purgingAt: at } as FileRow)).toMatchObject({
      networkCopy: 'released',
      networkCopies: [],
      purgeDueAt: null,
    })
  })

  it('reports the outcome of each network, and the latest expiry of all networks', () => {
    const end = new Date(at.getTime() + 1000)
    const sea = { ...leased, network: 'sea', leaseExpiresAt: end }
    const dropped = { ...leased, network: 'gone', state: 'dropped' } as CopyRow
    const deleted = told([sea, leased, dropped], ['sea'])
    expect(deleted).toMatchObject({ networkCopy: 'expires', networkCopyExpiresAt: end.toISOString() })
    expect(deleted.networkCopies).toEqual([
      { network: 'lake', outcome: 'released', expiresAt: null },
      { network: 'sea', outcome: 'expires', expiresAt: end.toISOString() },
    ])
    expect(told([sea, leased], ['lake', 'sea']).networkCopyExpiresAt).toBe(end.toISOString())
    expect(deletedFile.strict().parse(deleted)).toEqual(deleted)
  })
})
