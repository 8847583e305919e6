import { Pool } from 'undici'
import { compare, print, type Variant } from '../measure.ts'
import { openAccount } from '../system/account.ts'
import { ratePerSecond } from '../system/at-once.ts'
import { withCpu } from '../system/cpu-per-file.ts'
import type { BenchOptions } from '../system/options.ts'
import { startSystem } from '../system/start-system.ts'

const ROUNDS = 5
const FILE_BYTES = 10 * 1024
const CROWD = { count: 2000, inFlight: 64 }

/** A crowd that reads one hot file of 10 KiB: as a public one, by one link, and by one link whose downloads are bounded. */
export async function benchLinks({ profileDir }: BenchOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const system = stack.use(await startSystem({ profileDir, env: { HOT_RETENTION_SECONDS: '3600' } }))
  const account = stack.use(await openAccount(system.gatewayUrl, 'bench'))
  const fileId = await account.upload(Buffer.alloc(FILE_BYTES, 'Tideport '))
  const share = (terms: object) => account.call<{ contentUrl: string }>('POST', `/api/files/${fileId}/links`, terms)
  const [open, bounded] = [await share({}), await share({ maxDownloads: 1_000_000_000 })]
  const pool = new Pool(system.gatewayUrl, { connections: CROWD.inFlight })
  stack.defer(() => pool.close())

  const crowd = (name: string, path: string): Variant => ({
    name,
    run: () => ratePerSecond(CROWD, () => readWhole(pool, path)),
  })
  const ofPublic = withCpu(system, CROWD.count, crowd('public read', `/api/public/files/${fileId}`))
  const ofLink = withCpu(system, CROWD.count, crowd('by one link', new URL(open.contentUrl).pathname))
  const ofBounded = withCpu(system, CROWD.count, crowd('by one bounded link', new URL(bounded.contentUrl).pathname))
  const variants = [ofPublic, ofLink, ofBounded].map(({ variant }) => variant)
  print('One hot file of 10 KiB, 64 in flight', '/s', await system.profiled(() => compare(variants, ROUNDS)))
  for (const { tell } of [ofPublic, ofLink, ofBounded]) tell()
}

async function readWhole(pool: Pool, path: string): Promise<void> {
  const { statusCode, body } = await pool.request({ method: 'GET', path })
  const bytes = await body.bytes()
  if (statusCode !== 200 || bytes.length !== FILE_BYTES)
    throw new Error(`Answered ${statusCode}, ${bytes.length} bytes`)
}
