import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { createKey, withToken } from '../../support/account.ts'
import { createApiClient } from '../../support/api-client.ts'
import { uniqueBytes } from '../../support/uploads.ts'
import type { FaultAccount } from './account.ts'

const PAUSE_MS = 1_000

/**
 * What a client does all day, once: a file uploaded and read by every route, lists, and a key that is made, used and
 * revoked. Throws unless each answer is what it should be.
 */
async function useOnce(account: FaultAccount, gatewayUrl: string): Promise<void> {
  const { identity } = account.client
  const client = createApiClient(gatewayUrl, identity, { takes503: true })
  await account.expectReadable(await account.upload(uniqueBytes()))
  for (const path of ['/api/files?limit=10', '/api/webhooks', '/api/vaults']) {
    expect([path, (await client.get(path)).status]).toEqual([path, 200])
  }
  const { id, key } = await createKey(client)
  const byKey = withToken(client, key)
  expect((await byKey.get('/api/vaults')).status).toBe(200)
  expect((await client.delete(`/api/auth/api-keys/${id}`)).status).toBe(200)
  expect((await byKey.get('/api/vaults')).status).toBe(401)
}

/** Uses the service again and again, for as long as `isOver` says no. */
export async function useSteadily(
  account: FaultAccount,
  gatewayUrl: string,
  isOver: (roundsSoFar: number) => boolean,
): Promise<void> {
  for (let rounds = 0; !isOver(rounds); rounds++) {
    await useOnce(account, gatewayUrl)
    await delay(PAUSE_MS)
  }
}
