import { pgbouncerBinary, startPgbouncer } from '@tideport/testing/pgbouncer'
import { describe, expect, test } from 'vitest'
import { connectionsByService, setForRole } from '../support/database.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { openAccount } from './support/account.ts'
import { holdPostgres } from './support/hold-postgres.ts'
import { startLoad } from './support/load.ts'

/** Postgres connections for each of three roles: 18 in total, although the processes may open 135. */
const CONNECTIONS_A_ROLE = 6

describe.skipIf(pgbouncerBinary === undefined)('behind pgbouncer in transaction mode (skipped: not installed)', () => {
  test('many processes work with a few connections, and statements that time out cause 503', async () => {
    await using stack = await startTestStack({
      together: [],
      replicas: { files: 2, sync: 2, eviction: 2, webhooks: 2 },
      env: { DATABASE_POOLER: 'transaction', DATABASE_POOL_SIZE: '15' },
      pooler: async (urls) => {
        for (const url of Object.values(urls))
          await setForRole(url, { statement_timeout: '5s', client_connection_check_interval: '1s' })
        return await startPgbouncer({ urls: Object.values(urls), poolSize: CONNECTIONS_A_ROLE })
      },
    })
    await using account = await openAccount(stack)
    using load = startLoad(account)
    await load.awaitProgress(12)
    await load.stop()
    const held = Object.values(await connectionsByService(stack.describe())).reduce((sum, n) => sum + n, 0)
    expect(held).toBeLessThanOrEqual(3 * CONNECTIONS_A_ROLE)
    await account.expectConvergence()

    const url = `${stack.describe().gatewayUrls[0]}/api/vaults`
    {
      await using _postgres = await holdPostgres(stack)
      expect((await fetch(url)).status).toBe(503)
    }
    await account.client.ask(200, 'GET', '/api/vaults')
  })
})
