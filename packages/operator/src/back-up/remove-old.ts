import { inParallel } from '@tideport/service-kit/process/in-parallel'
import { readIds } from './file-lists.ts'
import { idOf, listBackups, namesOf, OBJECTS } from './manifest.ts'
import type { BackupTarget } from './target/target.ts'

const BATCH = 500

/** Removes unfinished backups, all but the newest `keep` complete ones, and the bytes that no kept backup lists. */
export async function removeOld(target: BackupTarget, keep: number, signal: AbortSignal): Promise<number> {
  const { complete, unfinished } = await listBackups(target)
  const kept = complete.slice(-keep)
  // A damaged list must not remove anything, and only its end shows that it is intact.
  for (const id of kept) for await (const _ of readIds(target, id, signal)) signal.throwIfAborted()
  for (const id of [...unfinished, ...complete.slice(0, -keep)]) await removeBackup(target, id)
  await using open = new AsyncDisposableStack()
  const lists = kept.map((id) => createCursor(open.use(readIds(target, id, signal))))
  const isKept = async (id: string) => {
    let found = false
    for (const list of lists) found = (await list.has(id)) || found
    return found
  }
  let removed = 0
  let batch: string[] = []
  const removeBatch = async () => {
    await inParallel(batch, (name) => target.remove(name))
    removed += batch.length
    batch = []
  }
  for await (const { name } of target.list(OBJECTS)) {
    signal.throwIfAborted()
    if (!(await isKept(idOf(name)))) batch.push(name)
    if (batch.length === BATCH) await removeBatch()
  }
  await removeBatch()
  return removed
}

/** Removes what a killed `operator backup` left, except bytes, which the next backup uses. */
export async function removeUnfinished(target: BackupTarget): Promise<void> {
  await target.removeUnfinished()
  for (const id of (await listBackups(target)).unfinished) await removeBackup(target, id)
}

/** The manifest first: without it, the backup no longer counts as complete. */
async function removeBackup(target: BackupTarget, id: string): Promise<void> {
  const { folder, manifest } = namesOf(id)
  await target.remove(manifest)
  const names: string[] = []
  for await (const { name } of target.list(folder)) names.push(name)
  await inParallel(names, (name) => target.remove(name))
}

function createCursor(ids: AsyncGenerator<string>) {
  let current: string | null | undefined
  return {
    /** To be asked in ascending order. */
    async has(id: string): Promise<boolean> {
      while (current === undefined || (current !== null && current < id)) {
        const next = await ids.next()
        current = next.done ? null : next.value
      }
      return current === id
    },
  }
}
