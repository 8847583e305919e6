import { rm } from 'node:fs/promises'
import { type DataLayout, dataLayout, makeRoot, makeSubdirectories } from '../data-directory/data-layout.ts'
import { endStrays } from '../data-directory/end-strays.ts'
import { releaseFileLock, tryFileLock } from '../processes/file-lock.ts'
import { forgetData } from './forget-data.ts'

/** A data directory that is this process's alone until disposed of; no process of an earlier stack runs on it. */
export type OpenData = AsyncDisposable & { layout: DataLayout }

/** Throws a sentence when a stack runs on it already. `fresh` forgets what is in it. */
export async function openData(dir: string, fresh: boolean): Promise<OpenData> {
  const layout = dataLayout(dir)
  await makeRoot(layout)
  const lock = await tryFileLock(layout.lock)
  if (lock !== 'held') throw new Error(`A stack already runs on ${dir} (process ${lock.holderPid}).`)
  const release = () => releaseFileLock(layout.lock)
  try {
    await endStrays(layout)
    await rm(layout.stackFile, { force: true })
    if (fresh) await forgetData(layout)
    await makeSubdirectories(layout)
  } catch (error) {
    await release()
    throw error
  }
  return { layout, [Symbol.asyncDispose]: release }
}
