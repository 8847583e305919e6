import { expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf } from '../client.ts'

const t = sharedBundle()

const dayOfNow = () => new Date().toISOString().slice(0, 10)

it('daily usage of an account and of its vaults begins today', async () => {
  const client = clientOf(t)
  const vault = await client.createVault('Mine', 'public')
  const before = dayOfNow()
  const { days } = (await client.call('GET', '/api/account/usage')).body
  const ofVault = (await client.call('GET', `/api/vaults/${vault.id}/usage`)).body.days
  const empty = { day: expect.toBeOneOf([before, dayOfNow()]), fileCount: 0, storageBytes: 0 }
  expect(days).toEqual([{ ...empty, hotBytes: 0, addedFiles: 0, addedBytes: 0, networks: [] }])
  expect(ofVault).toEqual([empty])
})

it('a span consists of complete days in order, and of at most one year', async () => {
  const client = clientOf(t)
  const today = dayOfNow()
  const read = async (query: string) => {
    const { status, body } = await client.call('GET', `/api/account/usage?${query}`)
    return [status, body.days?.length]
  }
  await client.createVault('Mine', 'public')
  const spans = await read(`from=${today}`)
  expect(spans).toEqual([200, expect.toBeOneOf(dayOfNow() === today ? [1] : [1, 2])])
  expect(await read('from=2024-01-01&to=2024-12-31')).toEqual([200, 0])
  expect(await read('to=2000-01-01')).toEqual([200, 0])
  expect(await read('from=9999-12-31&to=9999-12-31')).toEqual([200, 0])
  for (const wrong of [
    'from=2024-01-01&to=2025-01-01',
    'from=2024-02-30&to=2024-03-01',
    'from=9999-12-31',
    'from=2024-02-02&to=2024-02-01',
    'from=yesterday',
    'to=yesterday',
    'to=1999-12-31',
    'from=2024-02-02T00:00:00Z',
    `from=${today}&from=${today}`,
  ])
    expect(await read(wrong), wrong).toEqual([400, undefined])
})
