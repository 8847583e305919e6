import { rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Context } from '../grammar/context.ts'
import { inFolder } from '../local/held-folder.ts'
import { makeFolder } from '../local/make-folder.ts'
import { nameKeyOf } from '../local/one-name.ts'
import { clearParts } from '../local/part-file.ts'
import type { LocalFile } from '../local/walk-files.ts'
import { sizeOf } from '../private/read-contents.ts'
import { PartlyFailed } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'
import { showProgress } from '../terminal/progress.ts'
import { tellFailure } from '../terminal/tell.ts'
import { downloadFile } from '../transfer/download-file.ts'
import type { Differences, Sides } from './compare-sides.ts'
import type { Hashes } from './known-hashes.ts'
import { type Incoming, planIncoming } from './plan-incoming.ts'

interface Options {
  remove: boolean
  parallel: number
  hashes: Hashes
}

/**
 * Makes this side like the service's. Deleted is only when all else went well, and for good: there is no trash here. What
 * cannot come before something is deleted, as a file where a folder is, comes after that.
 */
export async function syncDown(
  sides: Sides,
  found: Differences,
  { remove, parallel, hashes }: Options,
  context: Context,
): Promise<void> {
  if (found.remoteOnly.length > 0) await makeFolder(sides.root)
  const incoming = planIncoming(sides.root, found, await nameKeyOf(sides.root))
  const run: Run = { parallel, hashes, unfinished: new Set(incoming.map(({ file }) => file.id)), touched: found.partFolders } // biome-ignore format: one claim
  const isFree = ({ inTheWay }: Incoming) => inTheWay === null
  try {
    await downloadAll(sides, remove ? incoming.filter(isFree) : incoming, run, context)
    if (found.failed > 0) throw new PartlyFailed(found.failed, incoming.length, 'files')
    if (!remove) return
    await removeAll(sides.root, found.localOnly, context)
    const late = incoming.filter((one) => !isFree(one)).map((one) => ({ ...one, inTheWay: null }))
    await downloadAll(sides, late, run, context)
  } finally {
    if (!context.signal.aborted) await clearParts(sides.root, run.touched, run.unfinished)
  }
}

interface Run extends Omit<Options, 'remove'> {
  /** Ids of files that are still to come. */
  unfinished: Set<string>
  /** Folders where parts may be. */
  touched: Set<string>
}

async function downloadAll(
  { root, contentsOf }: Sides,
  incoming: readonly Incoming[],
  { parallel, hashes, unfinished, touched }: Run,
  { output, signal }: Context,
): Promise<void> {
  const bytes = incoming.reduce((sum, { file }) => sum + sizeOf(file), 0)
  const progress = showProgress(output, { files: incoming.length, bytes })
  try {
    await forEach(
      incoming,
      { limit: parallel, signal, what: 'files' },
      async ({ file, place, inTheWay }) => {
        const path = place()
        if (inTheWay) throw new Error(`${join(root, inTheWay)} is in its way: --delete removes that`)
        touched.add(dirname(path))
        const onMoved = (moved: number) => progress.moved(file.path, moved, sizeOf(file))
        const sha256 = await downloadFile(file, await contentsOf(file), { root, path, overwrite: true, signal, onMoved }) // biome-ignore format: one claim
        hashes.downloaded(file.id, sha256)
        unfinished.delete(file.id)
        progress.over(file.path, sizeOf(file))
        await output.result({ path, fileId: file.id, sizeBytes: sizeOf(file) }, path)
      },
      async ({ file }, error) => {
        progress.over(file.path, sizeOf(file))
        await tellFailure(output, { path: file.path, fileId: file.id }, file.path, error)
      },
    )
  } finally {
    progress.end()
  }
}

async function removeAll(root: string, files: readonly LocalFile[], { output, signal }: Context): Promise<void> {
  await forEach(
    files,
    { limit: 1, signal, what: 'files' },
    async ({ path }) => {
      await inFolder({ root, folder: dirname(path) }, (folder) => rm(join(folder, basename(path))))
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
    await inFolder({ root, folder: dirname(folder) }, (parent) => rmdir(join(parent, basename(folder))))
  } catch {
    return
  }
  await removeEmptyFolders(dirname(folder), root)
}
