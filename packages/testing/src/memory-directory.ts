import { mkdir, readdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { processIdentity } from '@tideport/dev-stack/processes/process-identity'
import { createTemporaryDirectory } from './temporary-directory.ts'

const memory = '/dev/shm'
const TMPFS = 0x01021994
const ROOM = 2 * 1024 ** 3

/** Creates a directory in memory if Linux has 2 GiB free, else on disk. First removes killed runs' data from memory. */
export async function createMemoryDirectory(purpose: string) {
  if (!(await hasRoom())) return await createTemporaryDirectory(purpose)
  await removeLeftOver(purpose)
  const path = join(memory, `tideport-${purpose}-${process.pid}`)
  await mkdir(path)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

async function hasRoom(): Promise<boolean> {
  const system = await statfs(memory).catch(() => null)
  return system?.type === TMPFS && Math.min(system.bavail * system.bsize, process.availableMemory()) >= ROOM
}

async function removeLeftOver(purpose: string): Promise<void> {
  for (const name of await readdir(memory)) {
    const [, pid] = new RegExp(`^tideport-${purpose}-(\\d+)$`).exec(name) ?? []
    const isLeftOver = pid !== undefined && (await processIdentity(Number(pid))) === undefined
    if (isLeftOver) await rm(join(memory, name), { recursive: true, force: true })
  }
}
