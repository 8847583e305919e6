import { setUpOnce } from '@tideport/testing/set-up-once'
import { expect, it } from 'vitest'
import { markDropped } from '../../src/state/copy-transitions.ts'
import { foldUsage, readNetworkUsage } from '../../src/state/usage-days.ts'
import { setupNetworks } from '../networks-bundle.ts'
import { setupPurging } from '../purging.ts'

const t = setUpOnce(setupPurging)

it('an account sees what each network bills from the store of a copy until its drop', async () => {
  await using t = await setupNetworks('lake', 'attic')
  const usage = () => readNetworkUsage(t.db, t.accountId)
  const both = await t.configure({ lake: 'required', attic: 'required' })
  const file = await t.hotFile('hello')
  expect(await usage()).toEqual([])
  await both.store(file, 'lake')
  expect(await usage()).toEqual([{ network: 'lake', copies: 1, bytes: 5 }])
  await both.store(file, 'attic')
  for (const name of ['lake', 'attic']) await both.prove(file, name)
  expect(await usage()).toMatchObject([{ network: 'attic', copies: 1 }, { network: 'lake' }])

  const leaving = await t.configure({ lake: 'required', attic: 'leaving' })
  await leaving.walk()
  expect(await t.states(file)).toEqual({ attic: 'dropping', lake: 'proved' })
  expect(await usage()).toHaveLength(2)
  await t.database.sql(`update copy set due_at = now() where state = 'dropping'`)
  await leaving.drop('attic')
  expect(await t.states(file)).toEqual({ attic: 'dropped', lake: 'proved' })
  expect(await usage()).toEqual([{ network: 'lake', copies: 1, bytes: 5 }])
})

it('changes and folds are atomic, and of two concurrent folds one runs', async () => {
  const file = await t.syncedFile('hello')
  const counted = await readNetworkUsage(t.db, t.accountId)
  await t.db
    .transaction()
    .execute(async (trx) => {
      await foldUsage({ db: trx })
      const copy = await t.copy(file)
      await markDropped(trx, { file: await t.read(file.id), copies: [copy], copy })
      expect(await readNetworkUsage(trx, t.accountId)).toEqual([])
      expect(await foldUsage(t)).toBe(false)
      throw new Error('died')
    })
    .catch((error: Error) => expect(error.message).toBe('died'))
  expect(await readNetworkUsage(t.db, t.accountId)).toEqual(counted)
  expect(await t.database.sql('select from network_usage_change')).toHaveLength(1)
  await foldUsage(t)
  expect(await readNetworkUsage(t.db, t.accountId)).toEqual(counted)
})
