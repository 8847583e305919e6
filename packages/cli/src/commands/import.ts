import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Client, type FileRecord, IdTakenError, type ItemSource, keepFolder, listVaults, NotFoundError, readFile, type UploadItem, type UploadOptions, upload, uploadManyBy, type Vault, type WrittenFile } from '@tideport/sdk' // biome-ignore format: one line
import { openFile, openJournal } from '@tideport/sdk/node'
import { carSource } from '../export/car-source.ts'
import { findVaults } from '../export/find-vaults.ts'
import { type ExportedFile, type ExportedFolder, type ExportedVault, readManifests } from '../export/read-manifests.ts'
import { command } from '../grammar/command.ts'
import type { Context } from '../grammar/context.ts'
import { lockFile } from '../local/lock-file.ts'
import { plainFile } from '../local/plain-folders.ts'
import { connect } from '../profile/connect.ts'
import { formatCount, parseCount } from '../terminal/amounts.ts'
import { PartlyFailed, tellFailure } from '../terminal/failures.ts'

export const importAll = command({
  name: 'import',
  summary: 'Upload the files of an export',
  description:
    'Imports a folder that `tideport export` or rebuild.mjs created, into any account of any installation. Files go to the\n' +
    'vault with the same slug, which is created if it is missing. They keep their paths, types, metadata, and tags, and their\n' +
    'IDs unless an ID is taken. Private files stay encrypted. To resume an interrupted import, run the same command again\n' +
    'at any time; no file is uploaded twice.',
  arguments: { folder: { summary: 'Folder that contains the export', isPath: true } },
  options: { parallel: { type: 'string', value: 'N', summary: 'Concurrent files, 1 to 32 (default: 6)' } },
  async run({ folder, parallel = '6' }, context) {
    const files = parseCount('parallel', parallel, 32)
    const client = await connect(context)
    const there: Vault[] = []
    for await (const vault of listVaults(client, { limit: 100 }, { signal: context.signal })) there.push(vault)
    const [wanted, folders]: [ExportedVault[], ExportedFolder[]] = [[], []]
    for await (const line of readManifests(folder)) {
      if (line.type === 'vault') wanted.push(line)
      if (line.type === 'folder') folders.push(line)
    }
    const path = join(folder, journalName(client, there))
    await using _lock = await lockFile(`${path}.lock`)
    const vaults = await findVaults(client, wanted, { there, path: `${path}.vaults.json` }, context)
    await keepFolders(client, folders, vaults, context)
    await using journal = await openJournal(path)
    const counts = { done: 0, failed: 0, renamed: 0 }
    // The file that a path resolves to is uploaded last.
    for (const isLatest of [false, true]) {
      await uploadAll(client, filesOf(folder, isLatest), { folder, vaults, files, journal, counts }, context)
    }
    if (counts.renamed > 0)
      context.output.remark(`${formatCount(counts.renamed, 'file')} got new IDs because their IDs are taken`)
    if (counts.failed > 0) throw new PartlyFailed(counts.failed, counts.done, 'files')
  },
})

/**
 * Identifies an account by its default vault, so that an import into another account of the same service is complete.
 */
function journalName({ baseUrl }: Client, there: readonly Vault[]): string {
  const account = there.find(({ isDefault }) => isDefault) ?? there[0]
  const target = createHash('sha256').update(JSON.stringify([baseUrl, account?.id]))
  return `.tideport-import-${target.digest('hex').slice(0, 16)}`
}

async function keepFolders(
  client: Client,
  folders: readonly ExportedFolder[],
  vaults: ReadonlyMap<string, Vault>,
  { signal }: Context,
): Promise<void> {
  for (const { vaultId, path } of folders) {
    const vault = vaults.get(vaultId)
    if (vault) await keepFolder(client, { vaultId: vault.id, path: path.replace(/\/$/, '') }, { signal })
  }
}

async function* filesOf(folder: string, isLatest: boolean): AsyncGenerator<ExportedFile> {
  for await (const line of readManifests(folder)) if (line.type === 'file' && line.isLatest === isLatest) yield line
}

interface Run {
  folder: string
  vaults: ReadonlyMap<string, Vault>
  files: number
  journal: Awaited<ReturnType<typeof openJournal>>
  counts: { done: number; failed: number; renamed: number }
}

async function uploadAll(
  client: Client,
  lines: AsyncIterable<ExportedFile>,
  { folder, vaults, files, journal, counts }: Run,
  { output, signal }: Context,
): Promise<void> {
  const places = new Map<string, string>()
  async function* items(): AsyncGenerator<UploadItem> {
    for await (const line of lines) {
      const vault = vaults.get(line.vaultId)
      if (vault === undefined) throw new Error(`The export does not list the vault ${line.vaultId}`)
      places.set(line.id, `${vault.slug}:${line.path}`)
      yield { ...itemOf(folder, line), vaultId: vault.id }
    }
  }
  const options = { vaultId: '', files, journal, isStill: isWell, signal }
  for await (const { key, file, error } of uploadManyBy(uploadWithId, client, items(), options)) {
    const to = places.get(key) ?? key
    places.delete(key)
    if (file) {
      counts.done++
      if (file.id !== key) counts.renamed++
      await output.result({ exportedId: key, fileId: file.id, isIdKept: file.id === key, to }, `${file.id}  ${to}`)
    } else {
      counts.failed++
      await tellFailure(output, { exportedId: key, to }, to, error)
    }
  }
}

function itemOf(folder: string, line: ExportedFile): UploadItem {
  const { id, path, mimeType, parts, savedAs, metadata, tags, sealedMetadata, expiresAt, checksumSha256 } = line
  const { wrappedKey, encryptionIv, plaintextSizeBytes, plaintextChecksumSha256, awaitingReview } = line
  const isOver = expiresAt !== null && Date.parse(expiresAt) < Date.now()
  return {
    key: id,
    source: async () => {
      if (isOver) throw new Error('The file has expired')
      if (savedAs !== undefined) return await openFile(await plainFile(folder, savedAs))
      if (parts === undefined)
        throw new Error('The export has no bytes for this file: they were lost before the export')
      return carSource(folder, parts)
    },
    mimeType,
    fields: {
      ...{ id, path, checksumSha256, expiresAt, sealedMetadata },
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...(tags.length > 0 && { tags }),
      ...(awaitingReview && { awaitingReview }),
      ...(wrappedKey !== null && { wrappedKey, encryptionIv, plaintextSizeBytes, plaintextChecksumSha256 }),
    },
  }
}

/** Uploads a file under its own ID, or a new one if that is taken. Keeps a file that exists under the ID. */
async function uploadWithId(client: Client, source: ItemSource, options: UploadOptions): Promise<WrittenFile> {
  try {
    return await upload(client, source, options)
  } catch (error) {
    if (!(error instanceof IdTakenError)) throw error
  }
  const { id, ...fields } = options.fields ?? {}
  const there = await findFile(client, id as string, options.signal)
  if (there && isSame(there, source, fields.checksumSha256)) return there
  // A separate key, so that two repeats of the same import create one file.
  const idempotencyKey = `${options.idempotencyKey}:new`
  return await upload(client, source, { ...options, fields, idempotencyKey })
}

/** Whether the bytes are intact. A file in error may have lost its bytes, so the import must upload it. */
const isWell = ({ status }: FileRecord): boolean => status !== 'error'

async function findFile(client: Client, fileId: string, signal: AbortSignal | undefined): Promise<FileRecord | null> {
  try {
    return await readFile(client, { fileId }, { signal })
  } catch (error) {
    if (error instanceof NotFoundError) return null
    throw error
  }
}

function isSame(file: FileRecord, source: ItemSource, sha256: string | null | undefined): boolean {
  const isHere = file.status !== 'uploading' && file.deletedAt === null && isWell(file)
  const hasBytes = 'size' in source && file.sizeBytes === source.size
  return isHere && hasBytes && (sha256 ?? file.checksumSha256) === (file.checksumSha256 ?? sha256)
}
