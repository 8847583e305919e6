import { createHash, randomUUID } from 'node:crypto'
import type { FileRow } from '../src/state/tables.ts'
import { NOBODY } from '../src/state/take-path.ts'
import { completeOpenUpload, type ListedPart, type OpenCompletion } from '../src/upload/open-completion.ts'
import { dropAttempts, openCommit, type PartAttempt, recordPart, reservePart } from '../src/upload/open-parts.ts'
import { recordUploadId } from '../src/upload/upload-urls.ts'
import { must, names, never, setup } from './bundle.ts'

export const MIB = 1024 ** 2
const limits = { quotaBytes: 0, maxFileBytes: 1024 * MIB, settleSeconds: 60 }
export const md5Of = (bytes: Buffer | string) => createHash('md5').update(bytes).digest('hex')

/** The steps of an upload in parts of any size. */
export async function setupOpen() {
  const t = await setup()

  async function open(more: Parameters<typeof t.request>[0] = {}): Promise<FileRow> {
    const created = must(await t.request({ form: 'open', sizeBytes: 0, onConflict: 'replace', ...more }))
    const uploadId = await t.hotTier.beginUpload(created.uploadKey, created.mimeType)
    return must(await recordUploadId(t.writes, created, { uploadId, urlSeconds: 0, settleSeconds: 60 }))
  }

  const reserve = (part: PartAttempt, sizeBytes: number, quotaBytes = 0) =>
    reservePart(t.db, { ...part, ...limits, sizeBytes, quotaBytes })

  /** Reserves a part. `store` gives it to the store, and `record` records it. */
  async function send({ id, uploadKey: key, uploadId }: FileRow, partNumber: number, bytes: Buffer) {
    const part = { fileId: id, partNumber, attempt: randomUUID() }
    const outcome = await reserve(part, bytes.length)
    if (outcome !== 'reserved') throw new Error(outcome)
    const place = { key, uploadId: must(uploadId), partNumber }
    const md5 = md5Of(bytes)
    let etag: string | null = null
    const commit = openCommit(t.db, part)
    async function* stream() {
      yield bytes.subarray(0, -1)
      if (!(await commit.begin(never))) throw new Error('closed')
      yield bytes.subarray(-1)
    }
    return {
      listed: { partNumber, md5, digests: {} } satisfies ListedPart,
      async store() {
        using _commit = commit
        etag = await t.hotTier.putPart(place, { stream: stream(), sizeBytes: bytes.length }, never)
      },
      record: () => recordPart(t.db, { ...part, md5, digests: null, storeEtag: etag ?? '' }),
      drop: () => dropAttempts(t.db, id, [part.attempt]),
    }
  }

  async function put(upload: FileRow, partNumber: number, bytes: Buffer): Promise<ListedPart> {
    const sent = await send(upload, partNumber, bytes)
    await sent.store()
    if (!(await sent.record())) throw new Error('The upload is closed')
    return sent.listed
  }

  const deps = { ...t, networks: names, settleSeconds: 60, trashRetentionSeconds: 3600, confirmLostSeconds: 900 }

  const complete = (
    upload: FileRow,
    parts: ListedPart[],
    more: Partial<OpenCompletion> & { hotTier?: typeof t.hotTier } = {},
  ) =>
    completeOpenUpload(
      { ...deps, ...(more.hotTier && { hotTier: more.hotTier }) },
      upload,
      {
        parts,
        onConflict: 'replace',
        ifOccupant: null,
        maxFileBytes: 1024 * MIB,
        digestsOf: async () => null,
        ...more,
      },
      { waitMs: 30_000, signal: never },
    )

  return {
    ...t,
    deps,
    open,
    reserve,
    send,
    put,
    complete,
    onlyIfFree: { onConflict: 'fail', ifOccupant: NOBODY } as const,
    row: async (id: string) => must(await t.db.selectFrom('file').selectAll().where('id', '=', id).executeTakeFirst()),
    /** What the counters have, and what the rows amount to. */
    async counted() {
      const [found] = await t.database.sql<Record<string, number>>(
        `select (select storage_bytes from account where id = $1)::int as account,
           (select storage_bytes from vault where id = $2)::int as vault,
           (select coalesce(sum(size_bytes), 0) from file where purging_at is null)::int as files,
           (select coalesce(sum(size_bytes), 0) from file where purging_at is null and deleted_at is null)::int as kept,
           (select coalesce(sum(size_bytes), 0) from upload_part
             where not is_left_out and file_id in (select id from file where status = 'uploading' and purging_at is null))::int as parts,
           (select coalesce(sum(size_bytes), 0) from file where status = 'uploading' and purging_at is null)::int as uploads,
           (select open_uploads from account where id = $1)::int as open`,
        [t.accountId, t.vaultId],
      )
      const { account, vault, files, kept, parts, uploads, open: openUploads } = must(found)
      return { isExact: account === files && vault === kept && parts === uploads, bytes: account, openUploads }
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  }
}
