import {
  cancelJob,
  copyFiles,
  copyMany,
  deleteMany,
  followJob,
  JobFailedError,
  listFiles,
  moveMany,
  restoreMany,
  trashMany,
  upload,
  waitForJob,
} from '@tideport/sdk'
import { expect, test } from 'vitest'
import { sdkAccount } from './support/sdk/sdk-account.ts'

type Account = Awaited<ReturnType<typeof sdkAccount>>

async function uploadAt({ client, vaultId }: Account, paths: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const path of paths) ids.push((await upload(client, new Blob([path]), { vaultId, fields: { path } })).id)
  return ids
}

async function paths({ client, vaultId }: Account, trashed = false): Promise<string[]> {
  const all: string[] = []
  for await (const file of listFiles(client, { vaultId, trashed, limit: 2 })) all.push(file.path)
  return all.toSorted()
}

test.concurrent('many files are moved, trashed, restored, and deleted by IDs or by folder, and skipped files are reported', async () => {
  const account = await sdkAccount()
  const { client, vaultId } = account
  const ids = await uploadAt(account, ['in/a', 'in/b', 'in/deep/c'])
  const missing = crypto.randomUUID()
  // The IDs may come from any iterable, also an asynchronous one.
  const given = (async function* () {
    yield* [...ids.slice(0, 2), missing]
  })()
  await expect(moveMany(client, { vaultId, ids: given, to: 'out/' })).resolves.toEqual({
    done: 2,
    failed: 1,
    failures: [{ fileId: missing, code: 'not_found' }],
  })
  const told: number[] = []
  const moved = await moveMany(
    client,
    { vaultId, prefix: 'in/', to: 'out/' },
    { onProgress: ({ done }) => void told.push(done) },
  )
  expect(moved).toMatchObject({ done: 1, failed: 0 })
  expect(told.at(-1)).toBe(1)
  expect(await paths(account)).toEqual(['out/a', 'out/b', 'out/deep/c'])
  await expect(trashMany(client, { vaultId, prefix: 'out/' })).resolves.toMatchObject({ done: 3 })
  expect(await paths(account)).toEqual([])
  await expect(restoreMany(client, { vaultId, ids })).resolves.toMatchObject({ done: 3, failures: [] })
  await expect(copyMany(client, { vaultId, ids: ids.slice(0, 1), to: 'copies/' })).resolves.toMatchObject({ done: 1 })
  expect(await paths(account)).toEqual(['copies/a', 'out/a', 'out/b', 'out/deep/c'])
  await expect(deleteMany(client, { vaultId, prefix: 'out/' })).resolves.toMatchObject({ done: 3 })
  expect(await paths(account)).toEqual(['copies/a'])
  await expect(deleteMany(client, { vaultId, ids: [] })).resolves.toEqual({ done: 0, failed: 0, failures: [] })
})

test.concurrent('more IDs than one request accepts are sent in several requests', async () => {
  const { client, vaultId } = await sdkAccount()
  const ids = Array.from({ length: 2100 }, () => crypto.randomUUID())
  const outcome = await trashMany(client, { vaultId, ids })
  expect(outcome).toMatchObject({ done: 0, failed: 2100 })
  expect(outcome.failures.map(({ fileId }) => fileId)).toEqual(ids)
})

test.concurrent('a job is followed until it is finished, and a cancelled job is a separate error', async () => {
  const account = await sdkAccount()
  const { client, vaultId } = account
  await uploadAt(
    account,
    Array.from({ length: 6 }, (_, index) => `in/${index}`),
  )
  const { job } = await copyFiles(client, { vaultId, prefix: 'in/', to: 'copies/' })
  const states: string[] = []
  for await (const now of followJob(client, job as { id: string })) states.push(`${now.state} ${now.done}`)
  expect(states.at(-1)).toBe('done 6')
  expect(new Set(states).size).toBe(states.length)
  // Jobs of a vault run one after the other, so the second has not started when it is cancelled. If a slow test finds it
  // already done, the next one is cancelled.
  for (let round = 0; ; round++) {
    await copyFiles(client, { vaultId, prefix: 'in/', to: `more-${round}/` })
    const { job: second } = await copyFiles(client, { vaultId, prefix: 'in/', to: `most-${round}/` })
    await cancelJob(client, { jobId: second?.id as string })
    const ended = await waitForJob(client, second as { id: string }).catch((thrown) => thrown)
    if (ended.state === 'done') continue
    expect(ended).toBeInstanceOf(JobFailedError)
    expect(ended.job).toMatchObject({ id: second?.id, state: 'cancelled' })
    break
  }
})
