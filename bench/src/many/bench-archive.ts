import { readFile } from 'node:fs/promises'
import { Pool } from 'undici'
import { type Account, openAccount } from '../system/account.ts'
import type { BenchOptions } from '../system/options.ts'
import { type System, startSystem } from '../system/start-system.ts'

const FILES = 40
const FILE_BYTES = 256 * 1024 ** 2
const SMALL_FILES = 2000

/**
 * A ZIP of 10 GB in 40 files and of 2,000 of 1 KB each, through the gateway: how fast, the CPU of all processes, and how much
 * memory the files service holds at most; and the last tenth of it again, once the checksums are known. No ratio.
 */
export async function benchArchive({ profileDir }: BenchOptions): Promise<void> {
  await using system = await startSystem({ profileDir })
  await using account = await openAccount(system.gatewayUrl, 'bench')
  const large = Buffer.alloc(FILE_BYTES, 'The quick brown fox jumps over the lazy dog. ')
  for (let file = 0; file < FILES; file += 1) await account.upload(large, { put: 'once', name: `large-${file}` })
  await archive(system, account, `${FILES} files of ${FILE_BYTES / 1024 ** 2} MiB`)
  await archive(system, account, 'its last tenth', 0.9)
  await using other = await openAccount(system.gatewayUrl, 'small')
  for (let file = 0; file < SMALL_FILES; file += 1)
    await other.upload(Buffer.alloc(1024, String(file)), { put: 'once', name: `small-${file}` })
  await archive(system, other, `${SMALL_FILES} files of 1 KB`)
}

async function archive(system: System, account: Account, name: string, from = 0): Promise<void> {
  const pool = new Pool(system.gatewayUrl)
  const headers = { authorization: `Bearer ${account.key}` }
  const ask = (method: 'GET' | 'HEAD', path: string, more = {}) =>
    pool.request({ method, path, headers: { ...headers, ...more } })
  const path = `/api/vaults/${account.vaultId}/archive`
  const head = await ask('HEAD', path)
  await head.body.dump()
  const lengthBytes = Number(head.headers['content-length'])
  const startedAt = performance.now()
  const range = from > 0 ? { range: `bytes=${Math.floor(lengthBytes * from)}-` } : {}
  const { statusCode, body } = await ask('GET', path, range)
  if (statusCode >= 300) throw new Error(`The archive was answered ${statusCode}`)
  const filesPid = system.processes.find((process) => process.name === 'files')?.pid ?? 0
  const before = await system.cpu()
  let [bytes, firstMs, peak] = [0, 0, 0]
  const looks = setInterval(async () => {
    peak = Math.max(peak, await residentBytes(filesPid))
  }, 100)
  for await (const chunk of body) {
    if (bytes === 0) firstMs = performance.now() - startedAt
    bytes += (chunk as Buffer).length
  }
  clearInterval(looks)
  await pool.close()
  const seconds = (performance.now() - startedAt) / 1000
  const after = await system.cpu()
  const cpu = [...after].reduce((sum, [process, us]) => sum + us - (before.get(process) ?? 0), 0) / 1e6
  console.log(
    `\n${name}: ${(bytes / 1e9).toFixed(2)} GB in ${seconds.toFixed(1)} s, ${(bytes / 1e6 / seconds).toFixed(0)} MB/s`,
  )
  console.log(`  first byte after ${firstMs.toFixed(0)} ms; CPU ${cpu.toFixed(1)} s; files service at most ${(peak / 1024 ** 2).toFixed(0)} MiB`) // biome-ignore format: one line
}

/** Linux alone tells. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}
