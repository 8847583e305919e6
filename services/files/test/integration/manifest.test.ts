import type { ManifestLine } from '@tideport/contracts/public/manifest'
import { manifestLines } from '@tideport/export/records/manifest-lines'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import type { KyselyPlugin } from 'kysely'
import { expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf, insertFiles } from '../client.ts'

/** Enough for several batches. */
const FILES = 450
const log = createLogger({ service: 'test', level: 'silent' })

const t = sharedBundle()

/** An account with a vault of many cold files. Every hundred files have the same creation time. */
async function ownerOfCold() {
  const client = clientOf(t)
  const vault = await client.createVault('Mine', 'public')
  await client.call('PUT', `/api/vaults/${vault.id}/folders/empty`)
  const made = 'now() - make_interval(mins => n / 100)'
  await insertFiles(t, { ...client, vaultId: vault.id }, FILES, { size_bytes: 'n', sha256: `'s'`, created_at: made })
  async function manifest(cursor?: string) {
    const { status, bytes } = await client.call('GET', `/api/account/manifest${cursor ? `?cursor=${cursor}` : ''}`)
    expect(status).toBe(200)
    return bytes.toString().trimEnd().split('\n')
  }
  return { ...client, vault, manifest }
}

const parse = (line: string | undefined) => JSON.parse(line ?? '') as ManifestLine

function cursorIn(line: string | undefined): string {
  const told = parse(line)
  if (told.type !== 'file' || told.cursor === undefined) throw new Error('The line has no cursor')
  return told.cursor
}

it('a truncated manifest continues after any of its files with the same lines', async () => {
  const owner = await ownerOfCold()
  const whole = await owner.manifest()
  expect(parse(whole.at(-1))).toEqual({ type: 'end', vaults: 2, files: FILES, bytes: (FILES * (FILES + 1)) / 2 })
  const first = whole.findIndex((line) => parse(line).type === 'file')
  // Within a batch, at the end of a batch, and after the last file.
  for (const at of [first, first + 57, first + 199, first + 200, whole.length - 2])
    expect(await owner.manifest(cursorIn(whole[at]))).toEqual(whole.slice(at + 1))
})

it('vaults and files created after a truncation are listed after it and counted', async () => {
  const owner = await ownerOfCold()
  const whole = await owner.manifest()
  const at = whole.length - 100
  const late = await owner.createVault('Late', 'public')
  const file = await owner.hotFile('hello', { vaultId: late.id })
  const rest = (await owner.manifest(cursorIn(whole[at]))).map(parse)
  expect(rest[0]).toMatchObject({ type: 'vault', id: late.id })
  expect(rest.filter((line) => line.type === 'vault')).toHaveLength(1)
  expect(rest.at(-2)).toMatchObject({ type: 'file', id: file.id })
  expect(rest.at(-1)).toMatchObject({ vaults: 3, files: FILES + 1 })
})

it('a manifest rejects cursors of other lists or accounts, and invalid cursors', async () => {
  const owner = await ownerOfCold()
  const line = (await owner.manifest()).find((one) => parse(one).type === 'file')
  const { body } = await owner.call('GET', '/api/files?limit=1')
  for (const cursor of [body.nextCursor, 'x', cursorIn(line).slice(0, -4)]) {
    const answer = await owner.call('GET', `/api/account/manifest?cursor=${cursor}`)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
  }
  const stranger = clientOf(t)
  const answer = await stranger.call('GET', `/api/account/manifest?cursor=${cursorIn(line)}`)
  expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
})

it('a manifest continues after a short outage of the database', async () => {
  const { accountId } = await ownerOfCold()
  let [asked, refused] = [0, 0]
  const away: KyselyPlugin = {
    transformQuery({ node }) {
      asked += 1
      if (asked > 4 && refused < 2) {
        refused += 1
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      }
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  const lines: ManifestLine[] = []
  const deps = { ...t, db: t.db.withPlugin(away), log, cursorOf: () => 'c' }
  for await (const line of manifestLines(deps, accountId, null)) lines.push(line)
  expect(refused).toBe(2)
  expect(lines.at(-1)).toMatchObject({ type: 'end', files: FILES })
})
