import { createHash } from 'node:crypto'
import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Client,
  type FileRecord,
  type Journal,
  type UploadFields,
  type UploadItem,
  uploadMany,
  type Vault,
} from '@tideport/sdk'
import { uploadManyPrivate, type VaultKey } from '@tideport/sdk/crypto'
import { openFile, openJournal } from '@tideport/sdk/node'
import type { Context, Environment } from '../grammar/context.ts'
import { absent } from '../local/absent.ts'
import { unstorable } from '../local/encode-names.ts'
import { lockFile } from '../local/lock-file.ts'
import { mediaTypeOf } from '../local/media-type.ts'
import { StateUnwritable, stateFolder } from '../profile/directories.ts'
import { exitCodeOf, exitCodes, PartlyFailed, tellFailure } from '../terminal/failures.ts'
import { showProgress } from '../terminal/progress.ts'
import { type Pace, paceSource } from './bandwidth-limit.ts'
import type { Outgoing } from './gather.ts'

export interface UploadPlan {
  vault: Vault
  vaultKey: VaultKey | null
  files: readonly Outgoing[]
  fieldsOf: (file: Outgoing) => UploadFields
  run: unknown
  /** Whether the file of an earlier run is still valid. Default: it is at its target. */
  isStill?: (file: Outgoing, record: FileRecord) => boolean
  pace: Pace | null
  parallel: number
  failedBefore: number
  /** The result of a file, as JSON and text. Default: with its ID. */
  resultOf?: (file: Outgoing, told: { to: string }) => [value: object, text: string]
  onUploaded?: (file: Outgoing, fileId: string) => void | Promise<void>
}

/** Uploads files, reports each, and resumes an interrupted run. Rejects with a `PartlyFailed` at the end. */
export async function uploadFiles(client: Client, plan: UploadPlan, context: Context): Promise<void> {
  const { vault, vaultKey, files } = plan
  const { output, signal } = context
  await using run = await openJournalIfPossible([client.baseUrl, vault.id, plan.run], context)
  const progress = showProgress(output, { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) })
  const byKey = new Map(files.map((file) => [keyOf(file), file]))
  if (run.goesOn(byKey.keys())) output.remark('Resuming an interrupted run')
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

/** The file may have been moved since its upload. */
const isAtTarget = ({ target }: Outgoing, { path }: FileRecord) => path === target

/** Uploads also work if no state can be stored. */
async function openJournalIfPossible(what: unknown, { environment, output }: Context) {
  try {
    return await openRunJournal(environment, what)
  } catch (error) {
    if (!(error instanceof StateUnwritable)) throw error
    output.complaint(`${error.message}. Until then, an interrupted run starts over`)
    return { journal: undefined, goesOn: () => false, end: async () => {}, [Symbol.asyncDispose]: async () => {} }
  }
}

/** A changed file is a different item. */
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

/** The service deletes unfinished uploads and idempotency keys after this time. */
const LIFE_MS = 24 * 3600 * 1000

/**
 * Remembers finished uploads, so that an interrupted run (identified by `what`) resumes. One process at a time. Rejects
 * with a `StateUnwritable` if nothing can be remembered.
 */
async function openRunJournal(environment: Environment, what: unknown) {
  const folder = await stateFolder(environment, 'uploads')
  const name = createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 32)
  const path = join(folder, `${name}.journal`)
  const lock = await lockFile(`${path}.lock`)
  try {
    const ended = `${path}.ended`
    await removeExpired(path)
    await removeExpired(ended)
    const isCutOff = (await stat(path).catch(absent)) !== null
    if (!isCutOff) await rename(ended, path).catch(absent)
    const journal = await openJournal(path)
    const write: Journal['write'] = (key, entry) =>
      Promise.resolve(journal.write(key, entry)).catch((cause: NodeJS.ErrnoException) => {
        // Otherwise it would look like an error of the file.
        throw new Error(`The state of the upload cannot be written to ${folder} (${cause.code})`, { cause })
      })
    return {
      journal: { read: journal.read, write } satisfies Journal,
      /** Whether an earlier run was interrupted and recorded one of these items. */
      goesOn: (keys: Iterable<string>) => isCutOff && [...keys].some((key) => journal.read(key) !== undefined),
      /** Keeps the journal for another run if files failed in this one. */
      end: (isAllDone: boolean) => (isAllDone ? rm(path, { force: true }) : rename(path, ended)),
      async [Symbol.asyncDispose]() {
        await journal.close()
        await lock[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await lock[Symbol.asyncDispose]()
    throw error
  }
}

async function removeExpired(path: string): Promise<void> {
  const stats = await stat(path).catch(absent)
  if (stats && Date.now() - stats.mtimeMs > LIFE_MS) await rm(path)
}
