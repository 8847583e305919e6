import { rm, rmdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { FileRecord } from '@tideport/sdk'
import type { Context } from '../grammar/context.ts'
import { localPath } from '../local/local-path.ts'
import { sizeOf } from '../private/read-contents.ts'
import { PartlyFailed } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'
import { showProgress } from '../terminal/progress.ts'
import { tellFailure } from '../terminal/tell.ts'
import { downloadFile } from '../transfer/download-file.ts'
import type { Differences, Sides } from './compare-sides.ts'
import type { Hashes } from './known-hashes.ts'

/** Makes this side like the service's. Deleted is only when all else went well, and for good: there is no trash here. */
export async function syncDown(
  { root, contentsOf }: Sides,
  { localOnly, different, remoteOnly, failed }: Differences,
  { remove, parallel, hashes }: { remove: boolean; parallel: number; hashes: Hashes },
  context: Context,
): Promise<void> {
  const { output, signal } = context
  const incoming: { name: string; file: FileRecord }[] = [...remoteOnly, ...different]
  const bytes = incoming.reduce((sum, { file }) => sum + sizeOf(file), 0)
  const progress = showProgress(output, { files: incoming.length, bytes })
  try {
    await forEach(
      incoming,
      { limit: parallel, signal, what: 'files' },
      async ({ name, file }) => {
        const path = localPath(root, name)
        const onMoved = (moved: number) => progress.moved(name, moved, sizeOf(file))
        const sha256 = await downloadFile(file, await contentsOf(file), { path, overwrite: true, signal, onMoved })
        hashes.downloaded(file.id, sha256)
        progress.over(name, sizeOf(file))
        await output.result({ path, fileId: file.id, sizeBytes: sizeOf(file) }, path)
      },
      async ({ name, file }, error) => {
        progress.over(name, sizeOf(file))
        await tellFailure(output, { path: name, fileId: file.id }, name, error)
      },
    )
  } finally {
    progress.end()
  }
  if (failed > 0) throw new PartlyFailed(failed, incoming.length, 'files')
  if (!remove) return
  await forEach(
    localOnly,
    { limit: 1, signal, what: 'files' },
    async ({ path }) => {
      await rm(path)
      await removeEmptyFolders(dirname(path), resolve(root))
      await output.result({ action: 'delete', path }, `deleted ${path}`)
    },
    ({ path }, error) => tellFailure(output, { action: 'delete', path }, path, error),
  )
}

/** From the inside out, as far as they hold nothing. */
async function removeEmptyFolders(folder: string, root: string): Promise<void> {
  if (!resolve(folder).startsWith(root) || resolve(folder) === root) return
  try {
    await rmdir(folder)
  } catch {
    return
  }
  await removeEmptyFolders(dirname(folder), root)
}
