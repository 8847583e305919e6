import { setUpOnce } from '@tideport/testing/set-up-once'
import { expect, it } from 'vitest'
import { createFirstKey } from '../../src/keys/first-key.ts'
import { startAuth } from '../bundle.ts'

const auth = setUpOnce(startAuth)

it('creates the first key once, with full access, even in simultaneous calls', async () => {
  const handed: string[] = []
  const make = () => createFirstKey(auth.db, async (key) => void handed.push(key))
  const outcomes = await Promise.all([make(), make(), make()])
  expect(outcomes.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(handed).toHaveLength(1)
  const { body } = await auth.verify({ key: handed[0] as string })
  expect(body).toMatchObject({ accountId: outcomes[0]?.accountId, scopes: null })
})

it('creates no key if it cannot be handed over, and creates a new one after a revocation', async () => {
  await expect(createFirstKey(auth.db, () => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full')
  expect(await auth.sql('select id from api_key')).toEqual([])
  expect(await createFirstKey(auth.db, async () => {})).toMatchObject({ isNew: true })
  await auth.sql('update api_key set revoked_at = now()')
  expect(await createFirstKey(auth.db, async () => {})).toMatchObject({ isNew: true })
})
