import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Client, createVault, listVaults, type UploadItem, uploadMany, type Vault } from '@tideport/sdk'
import { openJournal } from '@tideport/sdk/node'
import { carSource } from '../export/car-source.ts'
import { type ExportedFile, type ExportedVault, readManifests } from '../export/read-manifests.ts'
import { command } from '../grammar/command.ts'
import type { Context } from '../grammar/context.ts'
import { lockFile } from '../local/lock-file.ts'
import { connect } from '../profile/connect.ts'
import { parseCount } from '../terminal/counts.ts'
import { PartlyFailed } from '../terminal/failures.ts'
import { tellFailure } from '../terminal/tell.ts'

export const importAll = command({
  name: 'import',
  summary: 'Upload all files of an export',
  description:
    'Of a folder that `tideport export` has made, to this account or another one, here or elsewhere. Files come to the vault\n' +
    'of the same slug, which is made where there is none, with their paths, types, metadata and tags; private ones as they\n' +
    'are, encrypted. They get new ids. Given again after it was stopped, it goes on, and uploads nothing twice.',
  arguments: { folder: { summary: 'The folder of the export', isPath: true } },
  options: { parallel: { type: 'string', value: 'N', summary: 'Files at once, 1 to 32; 6 unless given' } },
  async run({ folder, parallel = '6' }, context) {
    const files = parseCount('parallel', parallel, 32)
    const client = await connect(context)
    const vaults = await vaultsFor(client, folder, context)
    const path = join(folder, journalName(client, vaults))
    await using _lock = await lockFile(`${path}.lock`)
    await using journal = await openJournal(path)
    const counts = { done: 0, failed: 0 }
    // What stands for a path comes last.
    for (const isLatest of [false, true]) {
      await uploadAll(client, filesOf(folder, isLatest), { folder, vaults, files, journal, counts }, context)
    }
    if (counts.failed > 0) throw new PartlyFailed(counts.failed, counts.done, 'files')
  },
})

/** Of an account by its vaults: another one of the same service has to get everything, too. */
function journalName({ baseUrl }: Client, vaults: ReadonlyMap<string, Vault>): string {
  const target = JSON.stringify([baseUrl, ...[...vaults.values()].map(({ id }) => id).toSorted()])
  return `.tideport-import-${createHash('sha256').update(target).digest('hex').slice(0, 16)}`
}

/** The vaults of this account that stand for those of the export, by the ids that these had. */
async function vaultsFor(client: Client, folder: string, { signal }: Context): Promise<Map<string, Vault>> {
  const there: Vault[] = []
  for await (const vault of listVaults(client, { limit: 100 }, { signal })) there.push(vault)
  const wanted: ExportedVault[] = []
  for await (const line of readManifests(folder)) if (line.type === 'vault') wanted.push(line)
  const found = new Map<string, Vault>()
  for (const { id, slug, name, visibility, description, filesExpireAfterSeconds } of wanted) {
    const same = there.find((vault) => vault.slug === slug && vault.visibility === visibility && !vault.isExport)
    const fields = { name, visibility, description, filesExpireAfterSeconds }
    found.set(id, same ?? (await createVault(client, fields, { signal, idempotencyKey: `import:${id}` })))
  }
  return found
}

async function* filesOf(folder: string, isLatest: boolean): AsyncGenerator<ExportedFile> {
  for await (const line of readManifests(folder)) if (line.type === 'file' && line.isLatest === isLatest) yield line
}

interface Run {
  folder: string
  vaults: ReadonlyMap<string, Vault>
  files: number
  journal: Awaited<ReturnType<typeof openJournal>>
  counts: { done: number; failed: number }
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
      if (vault === undefined) throw new Error(`The export has no vault ${line.vaultId}`)
      places.set(line.id, `${vault.slug}:${line.path}`)
      yield { ...itemOf(folder, line), vaultId: vault.id }
    }
  }
  for await (const { key, file, error } of uploadMany(client, items(), { vaultId: '', files, journal, signal })) {
    const to = places.get(key) ?? key
    places.delete(key)
    if (file) {
      counts.done++
      await output.result({ exportedId: key, fileId: file.id, to }, `${file.id}  ${to}`)
    } else {
      counts.failed++
      await tellFailure(output, { exportedId: key, to }, to, error)
    }
  }
}

function itemOf(folder: string, line: ExportedFile): UploadItem {
  const { id, path, mimeType, parts, metadata, tags, sealedMetadata, expiresAt, checksumSha256 } = line
  const { wrappedKey, encryptionIv, plaintextSizeBytes, plaintextChecksumSha256 } = line
  const isOver = expiresAt !== null && Date.parse(expiresAt) < Date.now()
  return {
    key: id,
    source: () => {
      if (parts === undefined) throw new Error('Its bytes were lost before the export')
      if (isOver) throw new Error('Its time was over')
      return carSource(folder, parts)
    },
    mimeType,
    fields: {
      ...{ path, checksumSha256, expiresAt, sealedMetadata },
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...(tags.length > 0 && { tags }),
      ...(wrappedKey !== null && { wrappedKey, encryptionIv, plaintextSizeBytes, plaintextChecksumSha256 }),
    },
  }
}
