import { setUpOnce } from '@tideport/testing/set-up-once'
import { withSeed } from '@tideport/testing/with-seed'
import { expect, it } from 'vitest'
import { editFile } from '../../src/state/edit-file.ts'
import { indexNames } from '../../src/state/index-names.ts'
import { must, setup } from '../bundle.ts'

const t = setUpOnce(setup)

async function indexAll() {
  while ((await t.database.sql('select from name_to_index limit 1')).length > 0) await indexNames(t)
}

const indexed = () => t.database.sql('select file_id, folded_name from file_name order by file_id')
const named = () => t.database.sql('select id as file_id, folded(name) as folded_name from file order by id')

it('the index has the last name of every file when files are renamed while several processes fill it', async () => {
  const files = await Promise.all(Array.from({ length: 12 }, () => t.request()))
  await withSeed(async (random) => {
    let isNaming = true
    const name = async (writer: number) => {
      for (let round = 0; round < 30; round += 1) {
        const file = must(files[Math.floor(random() * files.length)])
        await editFile(t.db, file, { at: { folder: '', name: `Name ${writer} ${round}` } })
      }
    }
    const fill = async () => {
      while (isNaming) await indexNames(t)
    }
    const filling = [fill(), fill(), fill()]
    await Promise.all([name(1), name(2), name(3)])
    isNaming = false
    await Promise.all(filling)
  })
  await indexAll()
  expect(await indexed()).toHaveLength(12)
  expect(await indexed()).toEqual(await named())
})

it('a process that crashes while it fills the index loses no name', async () => {
  must(await t.request())
  await t.db
    .transaction()
    .execute(async (trx) => {
      await indexNames({ db: trx })
      throw new Error('died')
    })
    .catch(() => undefined)
  expect(await indexed()).toEqual([])
  await indexNames(t)
  expect(await indexed()).toEqual(await named())
})

it('a file that is deleted before its name was indexed leaves no entry', async () => {
  must(await t.request())
  await t.database.sql('delete from file')
  await indexNames(t)
  expect(await indexed()).toEqual([])
  expect(await t.database.sql('select from name_to_index')).toEqual([])
})
