import { rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Context } from '../grammar/context.ts'
import { inFolder } from '../local/held-folder.ts'
import { makeFolder } from '../local/make-folder.ts'
import { nameKeyOf } from '../local/one-name.ts'
import { clearParts } from '../local/part-file.ts'
import type { LocalFile } from '../local/walk-files.ts'
import { sizeOf } from '../private/read-contents.ts'
import { type Tally, tellFailure } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'
import { showProgress } from '../terminal/progress.ts'
import { downloadFile, nameable } from '../transfer/download-file.ts'
import { placeOf, tellDeletedHere, tellDownload } from './changes.ts'
import type { Differences, Sides } from './compare-sides.ts'
import type { Hashes } from './known-hashes.ts'
import { type Incoming, planIncoming } from './plan-incoming.ts'

export interface SyncOptions {
  remove: boolean
  isDry: boolean
  parallel: number
}

interface Run extends SyncOptions {
  hashes: Hashes
  tally: Tally
  unfinished: Set<string>
  touched: Set<string>
}

/**
 * Makes the local side equal to the service. Deletes permanently, and only if everything else succeeded; then downloads
 * blocked files.
 */
export async function syncDown(
  sides: Sides,
  found: Differences,
  options: SyncOptions & { hashes: Hashes; tally: Tally },
  context: Context,
): Promise<void> {
  const { remove, isDry, tally } = options
  if (found.remoteOnly.length > 0 && !isDry) await makeFolder(sides.root)
  const incoming = planIncoming(sides, found, await nameKeyOf(sides.root))
  const run = { ...options, unfinished: new Set(incoming.map(({ file }) => file.id)), touched: found.partFolders }
  try {
    await downloadAll(sides, remove ? incoming.filter(isFree) : incoming, run, context)
    tally.check()
    if (!remove) return
    await tally.add(found.localOnly.length, removeAll(sides.root, found.localOnly, isDry, context))
    const late = incoming.filter((one) => !isFree(one)).map((one) => ({ ...one, inTheWay: null }))
    if (tally.failed === 0) await downloadAll(sides, late, run, context)
    tally.check()
  } finally {
    if (!context.signal.aborted && !isDry) await clearParts(sides.root, run.touched, run.unfinished)
  }
}

const isFree = ({ inTheWay }: Incoming) => inTheWay === null

async function downloadAll(
  sides: Sides,
  incoming: readonly Incoming[],
  { parallel, isDry, hashes, tally, unfinished, touched }: Run,
  { output, signal }: Context,
): Promise<void> {
  const { root, contentsOf } = sides
  const bytes = incoming.reduce((sum, { file }) => sum + sizeOf(file), 0)
  const progress = isDry ? null : showProgress(output, { files: incoming.length, bytes })
  const downloading = forEach(
    incoming,
    { limit: isDry ? 1 : parallel, signal, what: 'files' },
    async ({ action, file, place, inTheWay }) => {
      const path = place()
      if (inTheWay) throw new Error(`${join(root, inTheWay)} blocks this path. To delete it, use --delete`)
      if (!isDry) {
        touched.add(dirname(path))
        const onMoved = (moved: number) => progress?.moved(file.path, moved, sizeOf(file))
        const sha256 = await downloadFile(file, await contentsOf(file), { root, path, overwrite: true, signal, onMoved }) // biome-ignore format: one claim
        hashes.downloaded(file.id, sha256)
        unfinished.delete(file.id)
        progress?.over(file.path, sizeOf(file))
      }
      await tellDownload(output, action, file, { from: placeOf(sides, file.path), path })
    },
    async ({ action, file }, error) => {
      progress?.over(file.path, sizeOf(file))
      const from = placeOf(sides, file.path)
      await tellFailure(output, { action, from, fileId: file.id }, from, nameable(error))
    },
  )
  await tally.add(incoming.length, downloading).finally(() => progress?.end())
}

async function removeAll(
  root: string,
  files: readonly LocalFile[],
  isDry: boolean,
  { output, signal }: Context,
): Promise<void> {
  await forEach(
    files,
    { limit: 1, signal, what: 'files' },
    async ({ path }) => {
      if (!isDry) {
        await inFolder({ root, folder: dirname(path) }, (folder) => rm(join(folder, basename(path))))
        await removeEmptyFolders(dirname(path), resolve(root))
      }
      await tellDeletedHere(output, path)
    },
    ({ path }, error) => tellFailure(output, { action: 'delete', path }, path, error),
  )
}

async function removeEmptyFolders(folder: string, root: string): Promise<void> {
  if (!resolve(folder).startsWith(root) || resolve(folder) === root) return
  try {
    await inFolder({ root, folder: dirname(folder) }, (parent) => rmdir(join(parent, basename(folder))))
  } catch {
    return
  }
  await removeEmptyFolders(dirname(folder), root)
}
