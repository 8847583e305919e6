import { type Client, type FileRecord, type UploadFields, type UploadItem, uploadMany, type Vault } from '@tideport/sdk'
import { uploadManyPrivate, type VaultKey } from '@tideport/sdk/crypto'
import { openFile } from '@tideport/sdk/node'
import type { Context } from '../grammar/context.ts'
import { unstorable } from '../local/encode-names.ts'
import { mediaTypeOf } from '../local/media-type.ts'
import { StateUnwritable } from '../profile/directories.ts'
import { exitCodeOf, exitCodes, PartlyFailed, tellFailure } from '../terminal/failures.ts'
import { showProgress } from '../terminal/progress.ts'
import type { Outgoing } from './gather.ts'
import { type Pace, paceSource } from './pace.ts'
import { openRunJournal } from './run-journal.ts'

export interface UploadPlan {
  vault: Vault
  vaultKey: VaultKey | null
  files: readonly Outgoing[]
  fieldsOf: (file: Outgoing) => UploadFields
  run: unknown
  /** Whether a file that a run before finished is what is wanted; where it is, unless given. */
  isStill?: (file: Outgoing, record: FileRecord) => boolean
  pace: Pace | null
  parallel: number
  failedBefore: number
  /** How the result of a file is told, as JSON and as text; with its id unless given. */
  resultOf?: (file: Outgoing, told: { to: string }) => [value: object, text: string]
  onUploaded?: (file: Outgoing, fileId: string) => void | Promise<void>
}

/** Uploads files and tells of each; goes on with a run that was cut off. Rejects with a `PartlyFailed` at the end. */
export async function uploadFiles(client: Client, plan: UploadPlan, context: Context): Promise<void> {
  const { vault, vaultKey, files } = plan
  const { output, signal } = context
  await using run = await openJournalIfPossible([client.baseUrl, vault.id, plan.run], context)
  const progress = showProgress(output, { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) })
  const byKey = new Map(files.map((file) => [keyOf(file), file]))
  if (run.goesOn(byKey.keys())) output.remark('Going on with a run that was cut off')
  const items = files.map((file) =>
    itemOf(file, plan, (bytes) => progress.moved(file.target, bytes, file.size), signal),
  )
  let failed = 0
  try {
    const { isStill = isAtTarget } = plan
    const options = {
      ...{ vaultId: vault.id, files: plan.parallel, parallel: 3, signal, journal: run.journal },
      isStill: (record: FileRecord, { key }: UploadItem) =>
        record.vaultId === vault.id && isStill(byKey.get(key) as Outgoing, record),
    }
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
        const told = { ...place, fileId, sizeBytes, status }
        await output.result(...(plan.resultOf?.(file, told) ?? ([told, `${fileId}  ${place.to}`] as const)))
      } else {
        if (exitCodeOf(error) === exitCodes.login) throw error
        failed++
        await tellFailure(output, place, file.path, error)
      }
    }
  } finally {
    progress.end()
  }
  await run.end(failed === 0)
  const all = failed + plan.failedBefore
  if (all > 0) throw new PartlyFailed(all, files.length - failed, 'files')
}

/** It may have been moved since. */
const isAtTarget = ({ target }: Outgoing, { path }: FileRecord) => path === target

/** Where nothing can be remembered uploads work all the same. */
async function openJournalIfPossible(what: unknown, { environment, output }: Context) {
  try {
    return await openRunJournal(environment, what)
  } catch (error) {
    if (!(error instanceof StateUnwritable)) throw error
    output.complaint(`${error.message}. Until then a run that is cut off begins anew`)
    return { journal: undefined, goesOn: () => false, end: async () => {}, [Symbol.asyncDispose]: async () => {} }
  }
}

/** A file that was changed since is another one. */
const keyOf = ({ path, size, mtimeMs, target }: Outgoing) => JSON.stringify([path, size, mtimeMs, target])

function itemOf(
  file: Outgoing,
  { fieldsOf, pace }: UploadPlan,
  onMoved: (bytes: number) => void,
  signal: AbortSignal,
): UploadItem {
  return {
    key: keyOf(file),
    source: async () => {
      const fault = unstorable(file.target)
      if (fault) throw new Error(fault)
      return paceSource(await openFile(file.path), pace, signal)
    },
    mimeType: mediaTypeOf(file.target),
    fields: { ...fieldsOf(file), path: file.target },
    onProgress: ({ sentBytes }) => onMoved(sentBytes),
  }
}
