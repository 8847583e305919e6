import { type FileStatus, file } from '@tideport/contracts/public/files'
import { publicFile } from '@tideport/contracts/public/public-access'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { describe, expect, it } from 'vitest'
import { mayPresign } from '../../src/downloads/hot-url.ts'
import { toDeletedFile, toFile, toPublicFile } from '../../src/files/views.ts'

const at = new Date('2026-01-02T03:04:05.678Z')
const hot = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  accountId: '01890a5d-ac96-774b-bcce-b302099a8058',
  vaultId: '01890a5d-ac96-774b-bcce-b302099a8059',
  name: 'cat.png',
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
  blobId: null,
  sha256: null,
  leaseExpiresAt: null,
  syncAttempt: 2,
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
const synced: FileRow = { ...hot, status: 'synced', blobId: 'bafy', sha256: 'b'.repeat(64), syncedAt: at }
const cold: FileRow = { ...synced, status: 'cold', hotKey: null, evictedAt: at }

describe('toFile', () => {
  it('tells the blob id and checksum only once the copy is permanent', () => {
    const staged = { ...hot, blobId: 'bafy', sha256: 'b'.repeat(64) }
    expect(toFile(staged)).toMatchObject({ storageNetworkBlobId: null, checksumSha256: null, inHotCache: true })
    expect(toFile(synced)).toMatchObject({ storageNetworkBlobId: 'bafy', checksumSha256: 'b'.repeat(64) })
  })

  it('tells where the bytes are', () => {
    expect(toFile({ ...hot, status: 'uploading', confirmedAt: null }).inHotCache).toBe(false)
    expect(toFile(cold)).toMatchObject({ inHotCache: false, rehydrating: false, evictedAt: at.toISOString() })
    expect(toFile({ ...cold, rehydrateDueAt: at }).rehydrating).toBe(true)
  })

  it('makes exactly the contract’s fields', () => {
    expect(file.strict().parse(toFile(synced))).toEqual(toFile(synced))
    expect(publicFile.strict().parse(toPublicFile(synced))).toEqual(toPublicFile(synced))
  })
})

describe('toDeletedFile', () => {
  const told = (row: FileRow, removes: boolean) => toDeletedFile(row, { caps: { removes } as StorageNetwork['caps'] })
  const leased = { ...synced, leaseExpiresAt: at, purgingAt: null, purgeDueAt: at }

  it('tells that the copy is given up where the network forgets', () => {
    expect(told(leased, true)).toMatchObject({ networkCopy: 'released', networkCopyExpiresAt: null })
  })

  it('tells until when the copy stays where the network never forgets, if there is one', () => {
    expect(told(leased, false)).toMatchObject({ networkCopy: 'expires', networkCopyExpiresAt: at.toISOString() })
    expect(told({ ...hot, purgingAt: at } as FileRow, false)).toMatchObject({
      networkCopy: 'released',
      purgeDueAt: null,
    })
  })
})

describe('mayPresign', () => {
  it('holds only while the hot copy is sure to outlive the URL', () => {
    expect(mayPresign(hot)).toBe(true)
    expect(mayPresign(synced)).toBe(true)
    expect(mayPresign({ ...hot, status: 'error' })).toBe(true)
    expect(mayPresign({ ...synced, evictingAt: at })).toBe(false)
    expect(mayPresign({ ...synced, status: 'error' })).toBe(false)
    expect(mayPresign(cold)).toBe(false)
    expect(mayPresign({ ...cold, hotKey: 'hot/rehydrated' })).toBe(true)
    expect(mayPresign({ ...hot, status: 'uploading', confirmedAt: null })).toBe(false)
  })
})
