import { glob, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type DataLayout, dataLayout, makeRoot, makeSubdirectories } from '../data-directory/data-layout.ts'
import { keepTouching, releaseFileLock, tryFileLock } from '../processes/file-lock.ts'
import { endStray } from '../processes/process-record.ts'
import { removeCluster } from '../servers/postgres/cluster-home.ts'

/** A data directory that this process has locked until disposal. No process of an earlier stack runs on it. */
export type OpenData = AsyncDisposable & { layout: DataLayout }

/** Throws an error with a readable message if a stack already runs on `dir`. `fresh` deletes the stack's data in it. */
export async function openData(dir: string, fresh: boolean): Promise<OpenData> {
  const layout = dataLayout(dir)
  await makeRoot(layout)
  const lock = await tryFileLock(layout.lock)
  if (lock !== 'held') throw new Error(`A stack is already running on ${dir} (process ${lock.holderPid}).`)
  // Its servers end with a container, before they damage the data that the other stack uses now.
  const touching = await keepTouching(layout.lock, () => {
    process.stderr.write(`Another stack took over ${dir} while this one was paused.\n`)
    process.exit(1)
  })
  const release = async () => {
    touching[Symbol.dispose]()
    await releaseFileLock(layout.lock)
  }
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

async function forgetData(layout: DataLayout): Promise<void> {
  await removeCluster(layout.postgres)
  const { stackFile, secrets, movedOut, logs, pids, nats, s3, network, networks } = layout
  for (const path of [stackFile, secrets, movedOut, logs, pids, nats, s3, network, networks]) {
    await rm(path, { recursive: true, force: true })
  }
}

/** Stops every process that a killed stack left behind on this data: services first, then nodes and servers. */
async function endStrays(layout: DataLayout): Promise<void> {
  const services: Promise<void>[] = []
  for await (const name of glob('*.json', { cwd: layout.pids })) {
    services.push(endStray(join(layout.pids, name), 'SIGKILL'))
  }
  await Promise.all(services)
  const nodes: Promise<void>[] = []
  for await (const record of glob('*/process.json', { cwd: layout.networks })) {
    nodes.push(endStray(join(layout.networks, record), 'SIGTERM'))
  }
  await Promise.all([
    ...nodes,
    endStray(join(layout.postgres, 'process.json'), 'SIGINT'),
    endStray(join(layout.nats, 'process.json'), 'SIGTERM'),
    endStray(join(layout.s3, 'process.json'), 'SIGTERM'),
  ])
}
