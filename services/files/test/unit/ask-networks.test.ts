import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { NetworkError } from '@tideport/storage-network/errors'
import { expect, it } from 'vitest'
import { createAskNetworks } from '../../src/operator/read-networks.ts'

const space = async () => ({ freeBytes: 1, totalBytes: 2, reserveBytes: 0 })

/** Networks with only these functions. */
function networksOf(health: Record<string, () => Promise<void>>): Networks {
  const order = Object.keys(health)
  const get = (name: string) => ({ name, driver: 'embedded', health: health[name], space })
  return { order, required: order, get } as unknown as Networks
}

it('returns the state of each network, but not of one that has not responded', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const down = async () => {
    throw new NetworkError('unreachable', 'gone', { fault: 'missing' })
  }
  const ask = createAskNetworks(
    networksOf({ well: async () => {}, slow: () => promise, down }),
    new AbortController().signal,
  )
  const of = async () => (await ask()).map(({ name, works, fault }) => [name, works, fault])
  expect(await of()).toEqual([
    ['well', true, null],
    ['slow', null, null],
    ['down', false, 'missing'],
  ])
  resolve()
  expect((await of())[1]).toEqual(['slow', true, null])
})

it('sends no second request to a network that has not responded', async () => {
  let asked = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = () => {
    asked += 1
    return promise
  }
  const ask = createAskNetworks(networksOf({ slow }), new AbortController().signal)
  await Promise.all([ask(), ask()])
  await ask()
  expect(asked).toBe(1)
  resolve()
  expect((await ask())[0]?.works).toBe(true)
})
