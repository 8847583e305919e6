import { objectsApi } from '@tideport/contracts/internal/objects'
import { isInHotTier } from '@tideport/file-lifecycle/copies/open-bytes'
import { extendHotTime, requestRehydration } from '@tideport/file-lifecycle/rehydrate/rehydrate-file'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import { getBucket, missing } from '../buckets/find-bucket.ts'
import type { AnnounceDeps } from '../files/announce-work.ts'
import { findObject } from './find-object.ts'
import { assertKeyWithin } from './key-limits.ts'

const DAY_SECONDS = 86_400

/** A file that is not cold keeps its time in the hot tier. */
export function restoreObjectRoute({ db, announce }: AnnounceDeps & { db: Kysely<FilesDb> }) {
  return serve(objectsApi.restoreObject, async ({ principal, params, query: { key }, body: { days } }) => {
    const vault = await getBucket(db, principal, params.slug)
    assertKeyWithin(principal, key, 'write')
    const hotSeconds = days * DAY_SECONDS
    for (;;) {
      const file = await findObject(db, vault, key)
      if (file === null) throw missing('key')
      if (file.status !== 'cold') return { outcome: 'not_cold' as const }
      if (file.rehydrateDueAt !== null) return { outcome: 'ongoing' as const }
      const restored = await (isKept(file) ? extendHotTime : requestRehydration)(db, file, { hotSeconds })
      if (restored === null) continue
      if (isKept(file)) return { outcome: 'extended' as const }
      announce(file.id, [{ step: 'rehydrate' }])
      return { outcome: 'requested' as const }
    }
  })
}

/** Bytes that are being removed from the hot tier count as removed. */
const isKept = (file: FileRow) => isInHotTier(file) && file.evictingAt === null
