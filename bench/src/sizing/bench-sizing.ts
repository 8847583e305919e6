import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { startStack } from '@tideport/dev-stack/stack/start-stack'
import { type Account, openAccount } from '../system/account.ts'
import { cpuOfTree, sizeOfTree } from '../system/process-tree.ts'

const FILES = 2000
const bytes = Buffer.alloc(64 * 1024)
const CLIENTS = 16

/** Short delays, so the bench measures files until they are cold. */
const settings = { HOT_RETENTION_SECONDS: '1', DOWNLOAD_URL_SECONDS: '1', CLOCK_SKEW_SECONDS: '0', EVICTIONS_PER_MINUTE_MAX: '100000' } // biome-ignore format: a list

/**
 * CPU per file from upload to cold, and memory, of each process: docs/operate/size.md sizes deployments by these figures.
 */
export async function benchSizing(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tideport-sizing-'))
  try {
    await using stack = await startStack({
      port: 0,
      dataDir,
      together: [],
      quiet: true,
      env: { ...hostEnvironment(), ...settings },
      out: () => {},
    })
    const { gatewayUrls, processes } = stack.describe()
    await using account = await openAccount(gatewayUrls[0] as string, 'sizing')
    await account.upload(bytes, {}) // loads modules, pools, and plans
    const before = await Promise.all(processes.map(({ pid }) => cpuOfTree(pid)))
    const startedAt = performance.now()
    const ids: string[] = []
    let left = FILES
    const client = async () => {
      while (left-- > 0) ids.push(await account.upload(bytes, {}))
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    const uploaded = FILES / ((performance.now() - startedAt) / 1000)
    for (const id of ids) await untilCold(account, id)
    const cold = FILES / ((performance.now() - startedAt) / 1000)
    console.log(
      `\n${FILES} files of ${bytes.length} bytes: ${uploaded.toFixed(0)} confirmed/s, ${cold.toFixed(0)} cold/s`,
    )
    for (const [index, { name, pid }] of processes.entries()) {
      const cpuMs = ((await cpuOfTree(pid)) - (before[index] ?? 0)) / 1000 / FILES
      const { memory, children } = await sizeOfTree(pid)
      console.log(`  ${name.padEnd(10)} ${cpuMs.toFixed(2).padStart(7)} ms of CPU a file, ${(memory / 1e6).toFixed(0).padStart(4)} MB, ${children} children`) // biome-ignore format: one line of a table
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function untilCold(account: Account, fileId: string): Promise<void> {
  while ((await account.call<{ status: string }>('GET', `/api/files/${fileId}`)).status !== 'cold') await delay(250)
}
