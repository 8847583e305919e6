import { objectUploadsApi } from '@tideport/contracts/internal/object-uploads'
import { endOf } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { type Kysely, sql } from 'kysely'
import { validate as isUuid } from 'uuid'
import { getBucket } from '../../buckets/find-bucket.ts'
import { isIn, type OwnVault } from '../../lookups/authorized-vault.ts'
import { isKeyWithin } from '../key-limits.ts'
import { digestOf } from './upload-digest.ts'

const BATCH = 1000
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

interface Place {
  key: string
  id: string
}

/** In the order of keys, then of begin. A common prefix counts as one entry. */
export function listObjectUploadsRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(objectUploadsApi.listObjectUploads, async ({ principal, params, query }) => {
    const vault = await getBucket(db, principal, params.slug)
    const { prefix, delimiter, keyMarker, uploadIdMarker, limit } = query
    const uploads: FileRow[] = []
    const prefixes: string[] = []
    let last: Place | null = null
    const from = { key: keyMarker, id: isUuid(uploadIdMarker) ? uploadIdMarker : LAST_ID }
    let isTruncated = false
    for await (const upload of openUploads(db, { vault, prefix, from })) {
      if (!isKeyWithin(principal, upload.key)) continue
      const common = commonPrefix(upload.key, { prefix, delimiter })
      if (common !== null && (common === prefixes.at(-1) || common === keyMarker)) continue
      isTruncated = uploads.length + prefixes.length >= limit
      if (isTruncated) break
      if (common === null) uploads.push(upload)
      else prefixes.push(common)
      last = { key: common ?? upload.key, id: common === null ? upload.id : '' }
    }
    return {
      uploads: uploads.map((upload) => ({
        key: upload.key,
        uploadId: upload.id,
        initiated: upload.createdAt.toISOString(),
        ...digestOf(upload),
      })),
      prefixes,
      isTruncated: isTruncated && limit > 0,
      nextKeyMarker: isTruncated ? (last?.key ?? null) : null,
      nextUploadIdMarker: isTruncated ? last?.id || null : null,
    }
  })
}

/** An account has few open uploads, so common prefixes are not skipped by the index. */
async function* openUploads(
  db: Kysely<FilesDb>,
  { vault, prefix, from }: { vault: OwnVault; prefix: string; from: Place },
): AsyncGenerator<FileRow> {
  if (prefix.includes('\0')) return
  const end = endOf(prefix)
  let after: Place = { ...from, key: from.key.split('\0', 1)[0] ?? '' }
  for (;;) {
    const { rows } = await sql<FileRow>`
      select * from file where ${isIn(vault)} and status = 'uploading' and upload_form = 'open'
        and purging_at is null and upload_id is not null and key >= ${prefix}
        and (${end}::text is null or key < ${end}::text collate "C") and (key, id) > (${after.key}, ${after.id}::uuid)
      order by key, id limit ${BATCH}`.execute(db)
    yield* rows
    const next = rows.at(-1)
    if (next === undefined || rows.length < BATCH) return
    after = next
  }
}

/** Null: the key has no delimiter behind the prefix. */
function commonPrefix(key: string, { prefix, delimiter }: { prefix: string; delimiter: string }): string | null {
  if (delimiter === '') return null
  const at = key.indexOf(delimiter, prefix.length)
  return at === -1 ? null : key.slice(0, at + delimiter.length)
}
