import { createLogger } from '@tideport/service-kit/telemetry/logger'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { expect, it } from 'vitest'
import { tellSingleCopy } from '../../src/copies/observe-networks.ts'

/** The reports in `/ready` and in the log for these required networks, each `s3`. */
async function told(required: string[], serviceEnv = 'production') {
  const lines: Record<string, unknown>[] = []
  const ready: Record<string, unknown> = {}
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const log = createLogger({ service: 'files', level: 'info', destination })
  const tells: [name: string, read: () => Promise<Record<string, unknown>>][] = []
  const health = { tell: (...one: (typeof tells)[number]) => void tells.push(one) }
  tellSingleCopy({ required, get: () => ({ driver: 's3' }) as StorageNetwork }, { health, log, serviceEnv })
  for (const [name, read] of tells) ready[name] = await read()
  return { ready, lines }
}

it('warns about a single required network in the log and in /ready', async () => {
  const { ready, lines } = await told(['vault'])
  expect(ready).toEqual({ singleCopy: { network: 'vault', driver: 's3' } })
  expect(lines).toMatchObject([{ level: 'warn', network: 'vault', msg: expect.stringContaining('single copy') }])
  expect((await told(['vault'], 'development')).lines).toMatchObject([{ level: 'info' }])
})

it('does not warn about two required networks', async () => {
  expect(await told(['vault', 'disk'])).toEqual({ ready: {}, lines: [] })
})
