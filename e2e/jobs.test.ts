import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { fetchBytes, publicFileUrl } from './support/reading.ts'
import type { FileRecord } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { uniqueBytes, uploadFile } from './support/uploads.ts'

type Job = { id: string; kind: string; state: string; done: number; failed: number; finishedAt: string | null }

test.concurrent('jobs copy, move, trash, and restore folders, and are listed and reported until they finish', async () => {
  const client = freshAccount()
  const vault = await createVault(client, 'public')
  const bytes = uniqueBytes()
  for (const path of ['in/a', 'in/deep/b']) {
    await uploadFile(client, { vaultId: vault.id, bytes, name: '', more: { path } })
  }
  const ids: string[] = []
  const run = async (what: string, fields: object) => {
    const started = await client.post<{ job: Job }>(`/api/vaults/${vault.id}/${what}`, fields)
    expect(started.status, what).toBe(200)
    const path = `/api/jobs/${started.body.job.id}`
    const isOver = async () => (await client.get<Job>(path)).body.finishedAt !== null
    await waitFor(isOver, { what: `${what} to be over`, timeoutMs: 150_000 })
    ids.unshift(started.body.job.id)
    return (await client.get<Job>(path)).body
  }
  const files = async () =>
    (await client.get<{ files: (FileRecord & { path: string })[] }>(`/api/files?vaultId=${vault.id}`)).body.files
  const paths = async () => (await files()).map(({ path }) => path).toSorted()

  const two = { state: 'done', done: 2, failed: 0 }
  expect(await run('copy', { prefix: 'in/', to: 'copy/' })).toMatchObject({ kind: 'copy', ...two })
  expect(await paths()).toEqual(['copy/a', 'copy/deep/b', 'in/a', 'in/deep/b'])
  expect(await run('move', { prefix: 'copy/', to: 'out/' })).toMatchObject({ kind: 'move', ...two })
  expect(await paths()).toEqual(['in/a', 'in/deep/b', 'out/a', 'out/deep/b'])
  expect(await run('trash', { prefix: 'in/' })).toMatchObject({ kind: 'trash', ...two })
  expect(await paths()).toEqual(['out/a', 'out/deep/b'])
  expect(await run('restore-files', { prefix: 'in/' })).toMatchObject({ kind: 'restore', ...two })
  expect(await paths()).toEqual(['in/a', 'in/deep/b', 'out/a', 'out/deep/b'])
  for (const { id } of await files()) expect((await fetchBytes(publicFileUrl(client, id))).bytes).toEqual(bytes)

  const { body } = await client.get<{ jobs: Job[] }>('/api/jobs')
  expect(body.jobs.map(({ id }) => id)).toEqual(ids)
  const late = await client.post<Job>(`/api/jobs/${ids[0]}/cancel`)
  expect([late.status, late.body.state]).toEqual([200, 'done'])
  expect((await freshAccount().get(`/api/jobs/${ids[0]}`)).status).toBe(404)
})
