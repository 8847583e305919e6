import { type Client, type Journal, type UploadFields, type UploadItem, uploadMany, type Vault } from '@tideport/sdk'
import { uploadManyPrivate, type VaultKey } from '@tideport/sdk/crypto'
import { openFile } from '@tideport/sdk/node'
import type { Context } from '../grammar/context.ts'
import { mediaTypeOf } from '../local/media-type.ts'
import { exitCodeOf, exitCodes, PartlyFailed } from '../terminal/failures.ts'
import { showProgress } from '../terminal/progress.ts'
import { tellFailure } from '../terminal/tell.ts'
import type { Outgoing } from './gather.ts'
import { openRunJournal } from './run-journal.ts'

export interface UploadPlan {
  vault: Vault
  /** Of a private vault. */
  vaultKey: VaultKey | null
  files: readonly Outgoing[]
  /** Further fields of each upload. */
  fieldsOf: (file: Outgoing) => UploadFields
  /** What tells this run from others, to go on with it. */
  run: unknown
  /** The service was looked at just now: what a run before finished has been moved, or replaced, since. */
  isCompared?: boolean
  /** Files at once. */
  parallel: number
  /** How many failed before it came to bytes. */
  failedBefore: number
  onUploaded?: (file: Outgoing, fileId: string) => void | Promise<void>
}

/** Uploads files and tells of each; goes on with a run that was cut off. Rejects with a `PartlyFailed` at the end. */
export async function uploadFiles(client: Client, plan: UploadPlan, context: Context): Promise<void> {
  const { vault, vaultKey, files } = plan
  const { output, signal, environment } = context
  await using run = await openRunJournal(environment, [client.baseUrl, vault.id, plan.run])
  if (run.goesOn) output.remark('Going on with a run that was cut off')
  const progress = showProgress(output, { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) })
  const byKey = new Map(files.map((file) => [keyOf(file), file]))
  const items = files.map((file) => itemOf(file, plan, (bytes) => progress.moved(file.target, bytes, file.size)))
  let failed = 0
  try {
    const journal = plan.isCompared ? withoutFinished(run.journal) : run.journal
    const options = { vaultId: vault.id, files: plan.parallel, parallel: 3, journal, signal }
    const results = vaultKey
      ? uploadManyPrivate(client, items, { ...options, vaultKey })
      : uploadMany(client, items, options)
    for await (const { key, file: record, error } of results) {
      const file = byKey.get(key) as Outgoing
      progress.over(file.target, file.size)
      const place = { path: file.path, to: `${vault.slug}:${file.target}` }
      if (record) {
        await plan.onUploaded?.(file, record.id)
        const { id: fileId, sizeBytes, status } = record
        await output.result({ ...place, fileId, sizeBytes, status }, `${fileId}  ${place.to}`)
      } else {
        if (exitCodeOf(error) === exitCodes.login) throw error
        failed++
        await tellFailure(output, place, file.path, error)
      }
    }
  } finally {
    progress.end()
  }
  if (failed === 0) await run.finish()
  const all = failed + plan.failedBefore
  if (all > 0) throw new PartlyFailed(all, files.length - failed, 'files')
}

function withoutFinished(journal: Journal): Journal {
  return {
    async read(key) {
      const entry = await journal.read(key)
      return entry?.fileId === undefined ? entry : undefined
    },
    write: (key, entry) => journal.write(key, entry),
  }
}

/** A file that was changed since is another one. */
const keyOf = ({ path, size, mtimeMs, target }: Outgoing) => JSON.stringify([path, size, mtimeMs, target])

function itemOf(file: Outgoing, { fieldsOf }: UploadPlan, onMoved: (bytes: number) => void): UploadItem {
  return {
    key: keyOf(file),
    source: () => openFile(file.path),
    mimeType: mediaTypeOf(file.target),
    fields: { ...fieldsOf(file), path: file.target },
    onProgress: ({ sentBytes }) => onMoved(sentBytes),
  }
}
