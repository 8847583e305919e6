import { expect } from 'vitest'
import { runBatches } from './database.ts'
import type { DocExample } from './doc-examples.ts'
import { sharedStack } from './shared-stack.ts'

/** Runs a migration step like the migration job, on 1,200 rows of which every third is already green. */
export async function fillsColoursInBatches({ code }: DocExample) {
  const files = `create temporary table file as
    select gen_random_uuid() as id, case when n % 3 = 0 then 'green' end as colour from generate_series(1, 1200) n`
  const { batches, rows } = await runBatches(
    sharedStack(),
    files,
    code,
    'select colour, count(*)::int from file group by 1',
  )
  expect(batches).toBe(3)
  expect(rows).toEqual(expect.arrayContaining([{ colour: 'green', count: 400 }, { colour: 'grey', count: 800 }])) // biome-ignore format: one claim
  expect(rows).toHaveLength(2)
}
