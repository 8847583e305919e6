import { deleteFile, type Vault } from '@tideport/sdk'
import type { Context } from '../grammar/context.ts'
import type { LocalFile } from '../local/walk-files.ts'
import { joinPath } from '../remote/address.ts'
import { forEach } from '../terminal/for-each.ts'
import { tellFailure } from '../terminal/tell.ts'
import type { Outgoing } from '../transfer/gather.ts'
import { uploadFiles } from '../transfer/upload-files.ts'
import type { Differences, Sides } from './compare-sides.ts'
import type { Hashes } from './known-hashes.ts'

/**
 * Makes the service's side like this one. Each upload says its SHA-256, so that nothing else can arrive. Deleted is
 * only when all else went well, and into the trash.
 */
export async function syncUp(
  { client, root, folder, vaultKey }: Sides,
  vault: Vault,
  { localOnly, different, remoteOnly, failed }: Differences,
  { remove, parallel, hashes }: { remove: boolean; parallel: number; hashes: Hashes },
  context: Context,
): Promise<void> {
  const { output, signal } = context
  const changed: LocalFile[] = [...localOnly, ...different.map(({ local }) => local)]
  const sums = new Map<string, string>()
  const files: Outgoing[] = []
  let unread = failed
  for (const { name, ...file } of changed) {
    const target = joinPath(folder, name)
    try {
      sums.set(target, await hashes.ofLocal({ name, ...file }, signal))
      files.push({ ...file, target })
    } catch (error) {
      signal.throwIfAborted()
      unread++
      await tellFailure(output, { path: file.path }, file.path, error)
    }
  }
  const sumOf = ({ target }: Outgoing) => sums.get(target) as string
  await uploadFiles(
    client,
    {
      vault,
      vaultKey,
      files,
      run: ['sync', root, folder],
      // The service was looked at just now: what a run before finished has been moved, or replaced, since.
      isStill: () => false,
      parallel,
      failedBefore: unread,
      // Of encrypted bytes the sum is known when they are sent.
      fieldsOf: (file) => ({ onConflict: 'replace', ...(vaultKey === null && { checksumSha256: sumOf(file) }) }),
      onUploaded: (file, fileId) => hashes.uploaded(fileId, file, sumOf(file)),
    },
    context,
  )
  if (!remove) return
  await forEach(
    remoteOnly,
    { limit: 4, signal, what: 'files' },
    async ({ file }) => {
      await deleteFile(client, { fileId: file.id }, { signal })
      const to = `${vault.slug}:${file.path}`
      await output.result({ action: 'delete', to, fileId: file.id }, `deleted ${to}`)
    },
    ({ file }, error) => tellFailure(output, { action: 'delete', fileId: file.id }, file.path, error),
  )
}
