import { lstat, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Client, deleteVault, exportAccount, type FileRecord, readJob } from '@tideport/sdk'
import { bucketOptions, exportToBucket } from '../export/start-bucket-export.ts'
import { command } from '../grammar/command.ts'
import type { Context } from '../grammar/context.ts'
import { absent } from '../local/absent.ts'
import { localPath } from '../local/local-path.ts'
import { makeFolder } from '../local/make-folder.ts'
import { clearParts } from '../local/part-file.ts'
import { replaceFile } from '../local/replace-file.ts'
import { type Contents, openContents } from '../private/read-contents.ts'
import { connect } from '../profile/connect.ts'
import { filesUnder } from '../remote/find-files.ts'
import { watchJob } from '../remote/run-job.ts'
import { formatCount, parseCount } from '../terminal/amounts.ts'
import { tellFailure, UsageError } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'
import { showProgress } from '../terminal/progress.ts'
import { downloadFile, hasBytesOf } from '../transfer/download-file.ts'

/** Names the export that fills the folder, until the export is complete. */
const JOURNAL = '.tideport-export'

export const exportAll = command({
  name: 'export',
  summary: 'Export all files of the account to a folder or a bucket',
  description:
    'The service packs all files and their metadata into CARs and manifests in a new vault, which this command downloads.\n' +
    'To resume an interrupted export, run the same command again. To restore the files, use `tideport import`, or\n' +
    'rebuild.mjs, which needs no service.\n' +
    'With --to-bucket, the service writes the same files to a bucket. It uses the credentials from AWS_ACCESS_KEY_ID,\n' +
    'AWS_SECRET_ACCESS_KEY, and, if set, AWS_SESSION_TOKEN, and deletes them when the job is complete.',
  arguments: { folder: { summary: 'Target folder, without another export', optional: true, isPath: true } },
  options: {
    ...bucketOptions,
    keep: {
      type: 'boolean',
      summary: 'Keep the export vault; by default it moves to the trash after the download',
    },
    parallel: { type: 'string', value: 'N', summary: 'Concurrent files, 1 to 32 (default: 6)' },
  },
  async run({ folder, keep, parallel = '6', toBucket, endpoint, region }, context) {
    if ((folder === undefined) === (toBucket === undefined)) throw new UsageError('Name either a folder or a bucket')
    if (toBucket !== undefined) return exportToBucket({ toBucket, endpoint, region }, context)
    await exportToFolder(folder as string, { keep, parallel }, context)
  },
})

async function exportToFolder(
  folder: string,
  { keep, parallel }: { keep: boolean; parallel: string },
  context: Context,
): Promise<void> {
  const { output, signal } = context
  const limit = parseCount('parallel', parallel, 32)
  const client = await connect(context)
  const jobId = await begin(client, folder, context)
  const begun = await readJob(client, { jobId }, { signal })
  const job = await watchJob(client, begun, context, { cancels: false })
  if (job.state !== 'done') {
    await rm(join(folder, JOURNAL))
    throw new Error(job.error ?? `The export is ${job.state}`)
  }
  const vaultId = job.toVaultId as string
  const files: FileRecord[] = []
  for await (const file of filesUnder(client, vaultId, '', signal)) files.push(file)
  await downloadAll(client, files, { folder, limit }, context)
  if (!keep) await deleteVault(client, { vaultId, force: true }, { signal })
  await rm(join(folder, JOURNAL))
  for (const { path, code } of job.failures) output.complaint(`${path}: ${code}`)
  const told = { folder, jobId: job.id, files: job.done, lost: job.failed }
  await output.result(told, `${formatCount(job.done, 'file')} exported to ${folder}`)
  if (job.failed > 0) throw new Error(`${formatCount(job.failed, 'file')} could not be exported`)
}

async function begin(client: Client, folder: string, { signal }: Context): Promise<string> {
  const journal = join(folder, JOURNAL)
  const before = await readFile(journal, 'utf8').catch(absent)
  if (before !== null) return before.trim()
  if ((await readdir(folder).catch(absent))?.some((name) => /^(manifest|part)-\d/.test(name)))
    throw new Error(`${folder} already contains an export. Choose another folder`)
  const made = await makeFolder(folder)
  try {
    const { id } = await exportAccount(client, {}, { signal })
    await replaceFile(journal, `${id}\n`)
    return id
  } catch (error) {
    if (made !== undefined) await rm(made, { recursive: true, force: true })
    throw error
  }
}

async function downloadAll(
  client: Client,
  files: readonly FileRecord[],
  { folder, limit }: { folder: string; limit: number },
  context: Context,
): Promise<void> {
  const { output, signal } = context
  const contentsOf = await openContents(context, client, { encrypted: true, unencrypted: true })
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const progress = showProgress(output, { files: files.length, bytes })
  try {
    await forEach(
      files,
      { limit, signal, what: 'files' },
      async (file) => {
        const path = localPath(folder, file.path)
        const onMoved = (moved: number) => progress.moved(file.name, moved, file.sizeBytes)
        const contents = await contentsOf(file)
        if (!(await isThere(contents, path, signal)))
          await downloadFile(file, contents, { root: folder, path, overwrite: true, signal, onMoved })
        progress.over(file.name, file.sizeBytes)
      },
      (file, error) => tellFailure(output, { fileId: file.id, path: file.path }, file.path, error),
    )
  } finally {
    progress.end()
  }
  await clearParts(folder, new Set(files.map((file) => dirname(localPath(folder, file.path)))), new Set())
}

/** A file is renamed into place when it is complete. The SHA-256 of a hot file may be unknown. */
async function isThere(contents: Contents, path: string, signal: AbortSignal): Promise<boolean> {
  if (contents.checksumSha256 !== null) return await hasBytesOf(contents, path, signal)
  const there = await lstat(path).catch(absent)
  return there?.isFile() === true && there.size === contents.sizeBytes
}
