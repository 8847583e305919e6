import { indexNames } from '@tideport/file-lifecycle/state/index-names'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf } from '../client.ts'

const COUNT = 3500

/** A thousand new files, and 2500 older ones with a word of their own: more than are gathered by the index. */
const names = Array.from({ length: COUNT }, (_, index) => {
  const words = [index < 1000 ? 'recent' : 'Buried', index % 4 === 0 ? 'Ärger' : 'plain', `n${index}`]
  if (index === 2000) words.push('50%_off\\now')
  return words.join(' ')
})

let t: Bundle
let client: ReturnType<typeof clientOf>
beforeAll(async () => {
  t = await setup()
  client = clientOf(t)
  await fill(client, await client.defaultVault(), names)
})
afterAll(() => t[Symbol.asyncDispose]())

async function fill({ accountId }: { accountId: string }, vaultId: string, theirNames: string[]) {
  await t.database.sql(
    `insert into file (id, account_id, vault_id, name, mime_type, size_bytes, status, upload_key, upload_expires_at,
       confirmed_at, created_at)
     select gen_random_uuid(), $1, $2, name, 'text/plain', 0, 'cold', 'k' || n, now(), now(),
       now() - make_interval(secs => n)
     from unnest($3::text[]) with ordinality as named (name, n)`,
    [accountId, vaultId, theirNames],
  )
}

async function found(q: string, more: Record<string, string> = {}, searcher = client): Promise<string[]> {
  const files: { name: string }[] = []
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ q, ...more, limit: '100', ...(cursor === null ? {} : { cursor }) })
    const { status, body } = await searcher.call('GET', `/api/files?${query}`)
    expect(status).toBe(200)
    files.push(...body.files)
    cursor = body.nextCursor
  } while (cursor !== null)
  return files.map(({ name }) => name)
}

describe('a search in many names answers all that match, once and in the order of the list', () => {
  it.each([
    ['frequent near the beginning', 'RECENT'],
    ['frequent everywhere', 'ärger'],
    ['frequent, but far from the beginning', 'buried'],
    ['rare and far', 'n3456'],
    ['rare, of characters that mean something in patterns', '50%_OFF\\n'],
    ['a pattern that would match if it were one', 'n%4_6'],
    ['two characters', '77'],
    ['one character', '%'],
    ['one letter that is not ASCII', 'Ä'],
    ['in no name', 'nowhere'],
  ])('%s: %s', async (_case, q) => {
    const matching = names.filter((name) => name.toLowerCase().includes(q.toLowerCase()))
    expect(await found(q)).toEqual(matching)
    expect(await found(q, { sortBy: 'name', order: 'asc' })).toEqual(matching.toSorted(byBytes))
  })

  it.each(['e', 'file'])('of what was thrown away by itself or with its vault, and only there: %s', async (q) => {
    const tidy = clientOf(t)
    const { id: vaultId } = await tidy.createVault('Gone', 'private')
    const [kept, alone, withVault] = [namesWith('kept'), namesWith('alone'), namesWith('vault')] as const
    await fill(tidy, await tidy.defaultVault(), [...kept, ...alone])
    await fill(tidy, vaultId, withVault)
    const trashed = 'deleted_at = now(), purge_due_at = now()'
    await t.database.sql(`update file set ${trashed} where account_id = $1 and name like '%alone'`, [tidy.accountId])
    await t.database.sql(`update vault set ${trashed} where id = $1`, [vaultId])
    const byName = { sortBy: 'name', order: 'asc' }
    expect(await found(q, { ...byName, trashed: 'true' }, tidy)).toEqual([...alone, ...withVault].toSorted(byBytes))
    expect(await found(q, byName, tidy)).toEqual(kept.toSorted(byBytes))
  })
})

describe('far from the beginning of a list', () => {
  const moreNames = Array.from({ length: 1500 }, (_, index) => `other ${index}`)

  it('a name is found before it is indexed and after, and by what it is now', async () => {
    const busy = clientOf(t)
    const vaultId = await busy.defaultVault()
    await fill(busy, vaultId, [...moreNames, 'the needle'])
    const indexAll = async () => {
      while (await indexNames(t)) {}
    }
    const rename = (from: string, to: string) =>
      t.database.sql('update file set name = $2 where account_id = $1 and name = $3', [busy.accountId, to, from])
    expect(await found('needle', {}, busy)).toEqual(['the needle'])
    await indexAll()
    expect(await found('needle', {}, busy)).toEqual(['the needle'])
    await rename('the needle', 'the pin')
    expect(await found('needle', {}, busy)).toEqual([])
    expect(await found('the pin', {}, busy)).toEqual(['the pin'])
    await indexAll()
    expect(await found('needle', {}, busy)).toEqual([])
    expect(await found('the pin', {}, busy)).toEqual(['the pin'])
  })
})

const namesWith = (word: string) => Array.from({ length: 150 }, (_, index) => `file ${index} ${word}`)

/** The order of names: by their bytes in UTF-8. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
