import { hash } from 'node:crypto'
import { createBatching } from '@tideport/service-kit/batching/batching'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { expect, it } from 'vitest'
import { createFindKey } from '../../src/keys/find-key.ts'
import { startAuth } from '../bundle.ts'

const auth = setUpOnce(startAuth)

it('reads simultaneous lookups in few statements and returns the right key to each', async () => {
  const owner = await auth.account()
  const keys = await Promise.all(Array.from({ length: 40 }, () => auth.makeKey(owner)))
  let statements = 0
  const counted = auth.db.withPlugin({
    transformQuery({ node }) {
      statements += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const findKey = createFindKey(counted, createBatching(), 'digest')
  const asked = [...keys.map(({ key }) => key), 'never made', ...keys.map(({ key }) => key)]
  const found = await Promise.all(asked.map((key) => findKey(hash('sha256', key))))
  const ids = keys.map(({ id }) => id)
  expect(found.map((key) => key?.id)).toEqual([...ids, undefined, ...ids])
  // The first lookup is sent immediately, the others together, as many as one statement takes.
  expect(statements).toBe(3)
})

it('returns a revoked key as revoked to a lookup that begins after the revocation, even during another read', async () => {
  const owner = await auth.account()
  const findKey = createFindKey(auth.db, createBatching(), 'digest')
  for (let round = 0; round < 20; round++) {
    const { id, key } = await auth.makeKey(owner)
    const digest = hash('sha256', key)
    const early = Array.from({ length: 10 }, () => findKey(digest))
    await auth.call(owner, 'DELETE', `/api/auth/api-keys/${id}`)
    expect((await findKey(digest))?.isRevoked).toBe(true)
    await Promise.all(early)
  }
})
