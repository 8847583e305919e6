import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { createS3Client } from '@tideport/s3-client/s3-client'
import { Pool } from 'undici'
import { compare, print, type Variant } from './measure.ts'

const ROUNDS = 9
const CALLS_A_ROUND = 1_000
const IN_FLIGHT = 8

/**
 * One HEAD of an object by the SDK, by our client, and unsigned by undici alone: CPU of the caller, the store
 * elsewhere.
 */
export async function benchStoreCalls(): Promise<void> {
  const store = fork(fileURLToPath(import.meta.url), { execArgv: process.execArgv })
  const [endpoint] = (await once(store, 'message')) as [string]
  const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' }
  const sdk = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials })
  const limits = { connections: IN_FLIGHT, attempts: 2, connectTimeoutMs: 2_000, answerTimeoutMs: 3_500 } as const
  const where = { endpoint, region: 'us-east-1', bucket: 'bench', forcePathStyle: true }
  using ours = createS3Client({ ...where, ...limits, silenceTimeoutMs: 30_000, credentials: async () => credentials })
  const pool = new Pool(endpoint, { connections: IN_FLIGHT })
  const bare = async (path: string) => {
    const { body } = await pool.request({ method: 'HEAD', path, reset: false })
    await body.dump()
  }
  const variants = [
    variant('HeadObjectCommand', (Key) => sdk.send(new HeadObjectCommand({ Bucket: 'bench', Key }))),
    variant('s3-client', (key) => ours.ask({ method: 'HEAD', key })),
    variant('undici, unsigned', (key) => bare(`/bench/${key}`)),
  ]
  print('CPU of a HEAD', 'µs', await compare(variants, ROUNDS))
  sdk.destroy()
  await pool.destroy()
  store.disconnect()
}

function variant(name: string, call: (key: string) => Promise<unknown>): Variant {
  const run = async () => {
    const before = process.cpuUsage()
    let next = 0
    const caller = async () => {
      while (next < CALLS_A_ROUND) await call(`hot/${next++}/photo`)
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, caller))
    const { user, system } = process.cpuUsage(before)
    return (user + system) / CALLS_A_ROUND
  }
  return { name, run }
}

if (process.send) {
  const server = createServer((_, response) => response.writeHead(200, { 'content-length': 5, etag: '"5"' }).end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  process.send(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  process.once('disconnect', () => process.exit())
}
