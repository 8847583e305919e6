import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { downloadBytes } from './support/reading.ts'
import type { FileRecord, Vault } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { uniqueBytes, uploadFile } from './support/uploads.ts'

type Line = { type: string; id?: string; cursor?: string; files?: number }

const linesOf = (text: string) => text.trimEnd().split('\n').map((line) => JSON.parse(line) as Line) // biome-ignore format: one chain

test.concurrent('an account lists its usage by day and all its files, and is exported with every byte', async () => {
  const client = freshAccount()
  const { id: vaultId } = await createVault(client, 'public')
  const all = [uniqueBytes(700), uniqueBytes(300)]
  const files = await Promise.all(all.map((bytes) => uploadFile(client, { vaultId, bytes })))
  const ids = files.map(({ id }) => id).toSorted()
  const { body: usage } = await client.get<{ days: object[] }>('/api/account/usage')
  expect(usage.days.at(-1)).toMatchObject({ fileCount: 2, storageBytes: 1000 })

  const manifest = async (query = '') => linesOf((await client.get(`/api/account/manifest${query}`)).text)
  const lines = await manifest()
  const filesIn = (some: Line[]) => some.filter(({ type }) => type === 'file').map(({ id }) => id).toSorted() // biome-ignore format: one chain
  expect(filesIn(lines)).toEqual(ids)
  expect(lines.at(-1)).toMatchObject({ type: 'end', files: 2 })
  const first = lines.findIndex(({ type }) => type === 'file')
  const rest = await manifest(`?cursor=${lines[first]?.cursor}`)
  expect(rest.map(({ type, id }) => [type, id])).toEqual(lines.slice(first + 1).map(({ type, id }) => [type, id]))

  type Job = { id: string; toVaultId: string; state: string; done: number; finishedAt: string | null }
  const started = await client.post<Job>('/api/account/export', {})
  expect(started.status).toBe(201)
  const read = async () => (await client.get<Job>(`/api/jobs/${started.body.id}`)).body
  await waitFor(async () => (await read()).finishedAt !== null, { what: 'the export to be over', timeoutMs: 150_000 })
  expect(await read()).toMatchObject({ state: 'done', done: 2, failed: 0 })
  const { toVaultId } = started.body
  expect((await client.get<Vault>(`/api/vaults/${toVaultId}`)).body).toMatchObject({ visibility: 'private' })
  const { body: made } = await client.get<{ files: FileRecord[] }>(`/api/files?vaultId=${toVaultId}`)
  const contents = await Promise.all(
    made.files.map(async ({ id, name }) => ({ name, bytes: (await downloadBytes(client, id)).bytes })),
  )
  const ending = (end: string) => contents.filter(({ name }) => name.endsWith(end)).map(({ bytes }) => bytes)
  expect(filesIn(ending('.ndjson').flatMap((bytes) => linesOf(String(bytes))))).toEqual(ids)
  for (const bytes of all) expect(ending('.car').some((car) => car.includes(bytes))).toBe(true)
})
