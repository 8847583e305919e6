import { expect, it } from 'vitest'
import { setupNetworks } from '../networks-bundle.ts'

it('a walk over all files waits for a progressing walk by another configuration, but not for a stopped one', async () => {
  await using t = await setupNetworks('lake')
  const file = await (await t.configure({ lake: 'required' })).coldFile()
  const after = await t.configure({ lake: 'required', attic: 'required' })
  await t.database.sql(
    `update copy_walk set configuration = 'another', after = gen_random_uuid(), walked_at = now() - interval '50 seconds'`,
  )
  await after.walk()
  expect(await t.states(file)).toEqual({ lake: 'proved' })
  await t.database.sql(`update copy_walk set walked_at = now() - interval '61 seconds'`)
  await after.walk()
  expect(await t.states(file)).toEqual({ lake: 'proved', attic: 'planned' })
})
