import { createFolderLink, listJobs, uploadMany } from '@tideport/sdk'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'

type User = Awaited<ReturnType<typeof cliAccount>>

/** Small files at these paths. */
async function put(user: User, paths: string[]): Promise<void> {
  const vaultId = await user.defaultVault()
  const items = paths.map((path) => ({ key: path, source: new TextEncoder().encode(path), fields: { path } }))
  for await (const { error } of uploadMany(user.client, items, { vaultId, files: 6 })) expect(error).toBeUndefined()
}

test.concurrent('the service copies, moves, deletes, and restores folders, even into themselves', async () => {
  await using user = await cliAccount()
  const { tideport, paths } = user
  await put(user, ['2026/a', '2026/in/b', 'top'])
  const copied = await tideport(['cp', 'default:2026/', 'default:2026/copy', '--json'])
  expect(copied.values()).toMatchObject([{ kind: 'copy', state: 'done', done: 2, failed: 0 }])
  expect(await paths()).toEqual(['2026/a', '2026/copy/a', '2026/copy/in/b', '2026/in/b', 'top'])
  expect(await tideport(['mv', 'default:2026/copy', 'default:old/'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/move {5}done +2 done, 0 failed/) }) // biome-ignore format: one claim
  expect(await tideport(['cp', 'default:top', 'default:old/'])).toMatchObject({ code: 0 })
  expect(await paths()).toEqual(['2026/a', '2026/in/b', 'old/copy/a', 'old/copy/in/b', 'old/top', 'top'])
  expect(await tideport(['cp', 'default:top', 'default:other'])).toMatchObject({ code: 1 })
  expect(await tideport(['rm', 'default:old'])).toMatchObject({ code: 1 })
  expect(await tideport(['rm', 'default:old/'])).toMatchObject({ code: 0 })
  expect(await paths()).toEqual(['2026/a', '2026/in/b', 'top'])
  expect(await tideport(['restore', 'default:old/copy', '-r'])).toMatchObject({ code: 0 })
  expect(await paths()).toEqual(['2026/a', '2026/in/b', 'old/copy/a', 'old/copy/in/b', 'top'])
  for (const words of [['rm', '-r'], ['restore', '-r'], ['mv'], ['cp']]) {
    const to = words.length === 1 ? ['default:x/'] : []
    const nothing = await tideport([...words, 'default:missing/', ...to])
    expect(nothing, words[0] as string).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/No files? (or folder )?found/),
    })
  }
  expect(await tideport(['rm', '-r', 'default:', '--permanent', '--yes'])).toMatchObject({ code: 0 })
  expect(await paths()).toEqual([])
})

test.concurrent('received files are listed and published, individually and by folder', async () => {
  await using user = await cliAccount()
  const { tideport, client, baseUrl } = user
  const vaultId = await user.defaultVault()
  const upload = { maxFiles: 5, maxFileBytes: 100, maxBytes: 500 }
  const link = await createFolderLink(client, { vaultId, prefix: 'in/', upload })
  for (const name of ['a', 'b']) {
    const url = new URL(new URL(`${link.contentUrl}${name}`).pathname, baseUrl)
    expect((await fetch(url, { method: 'PUT', body: name })).status).toBe(201)
  }
  const received = async () => (await tideport(['ls', 'default', '--review', '--json'])).values()
  const [first] = await received()
  expect(await received()).toHaveLength(2)
  expect(await tideport(['links'])).toMatchObject({ stdout: expect.stringContaining('upload review') })
  const published = await tideport(['publish', `default:${first?.path}`, '--json'])
  expect(published.values()).toMatchObject([{ id: first?.id, awaitingReview: false }])
  expect(await received()).toHaveLength(1)
  expect(await tideport(['publish', 'default:in/'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 done/) })
  expect(await received()).toEqual([])
  const nothing = await tideport(['publish', 'default:in/'])
  expect(nothing).toMatchObject({ code: 1, stderr: expect.stringMatching(/No files? (or folder )?found/) })
})

test.concurrent('a job reports skipped files and exits with 3, or with 1 if it did nothing', async () => {
  await using user = await cliAccount()
  const { tideport } = user
  await put(user, ['from/a', 'from/b', 'to/a'])
  const partly = await tideport(['mv', 'default:from/', 'default:to'])
  expect(partly).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/from\/a: path_taken\n[\s\S]*1 of 2 files failed/),
  })
  const nothing = await tideport(['mv', 'default:from/', 'default:to', '--json'])
  expect(nothing).toMatchObject({ code: 1 })
  expect(nothing.values()).toMatchObject([{ done: 0, failed: 1, failures: [{ path: 'from/a', code: 'path_taken' }] }])
  const several = await tideport(['rm', '-r', 'default:from/', 'default:missing/', '--json'])
  expect(several.code).toBe(3)
  const [newest] = (await tideport(['jobs', '--json'])).values()
  expect(await tideport(['jobs', 'wait', newest.id])).toMatchObject({ code: 0 })
  const failed = nothing.values()[0].id
  expect(await tideport(['jobs', 'show', failed])).toMatchObject({ code: 0, stdout: expect.stringContaining('from/a: path_taken') }) // biome-ignore format: one claim
  expect(await tideport(['jobs', 'wait', failed])).toMatchObject({ code: 1 })
  expect(await tideport(['jobs', 'cancel', failed, '--json'])).toMatchObject({ code: 0 })
  expect(await tideport(['jobs', '--running'])).toMatchObject({ code: 0, stdout: '' })
  expect(await tideport(['jobs', 'show', '00000000-0000-7000-8000-000000000000'])).toMatchObject({ code: 1 })
})

test.concurrent('Ctrl-C cancels the job, and nothing changes afterwards', async () => {
  await using user = await cliAccount()
  const { tideport, client } = user
  const names = Array.from({ length: 300 }, (_, index) => `many/${index}`)
  await put(user, names)
  // Copying these files takes a while. The signal is sent as soon as the job exists.
  const stopped = new AbortController()
  const running = tideport(['cp', 'default:many/', 'default:copies'], { stop: stopped.signal })
  const job = await waitFor(async () => (await listJobs(client, { limit: 1 }).page()).jobs[0], { what: 'a job' })
  stopped.abort()
  const ended = await running
  const after = await listJobs(client, { limit: 1 }).page()
  if (after.jobs[0]?.state === 'done') return expect(ended.code).toBe(0) // the job was faster than the signal
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(`job ${job?.id} is cancelled`) })
  expect(after.jobs[0]).toMatchObject({ id: job?.id, state: 'cancelled' })
})

test.concurrent('a key is created with every limit', async () => {
  await using user = await cliAccount()
  const { tideport, write } = user
  await put(user, ['2026/a', 'other'])
  const args = ['keys', 'create', 'narrow', '--vault', 'default', '--prefix', '2026/', '--verb', 'read', '--verb', 'upload', '--bytes-per-day', '50000000000', '--address', '127.0.0.0/8', '--json'] // biome-ignore format: one line
  const [made] = (await tideport(args)).values()
  expect(made.limits).toMatchObject({ prefixes: ['2026/'], verbs: ['read', 'upload'], bytesPerDay: 50_000_000_000, addresses: ['127.0.0.0/8'] }) // biome-ignore format: one claim
  const narrow = { environment: { TIDEPORT_API_KEY: made.key } }
  expect((await tideport(['ls', 'default', '-r', '--json'], narrow)).values()).toMatchObject([{ path: '2026/a' }])
  await write({ '2026/b': 'b' })
  expect(await tideport(['upload', '2026', '--on-conflict', 'keep'], narrow)).toMatchObject({ code: 0 })
  expect(await tideport(['upload', '2026', '--to', 'default:elsewhere', '--on-conflict', 'keep'], narrow)).toMatchObject({ code: 1 }) // biome-ignore format: one claim
})
