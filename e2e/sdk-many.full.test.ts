import { randomBytes } from 'node:crypto'
import { deleteFile, type Journal, type JournalEntry, listFiles, upload, uploadMany, waitFor } from '@tideport/sdk'
import { expect, test } from 'vitest'
import { sdkAccount } from './support/sdk/sdk-account.ts'

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

test.concurrent('a failed file does not block the others, and every opened source is closed afterwards', async () => {
  const { client, vaultId } = await sdkAccount()
  let open = 0
  const source = () => {
    open++
    const bytes = { size: 5, slice: (start: number, end: number) => randomBytes(end - start) }
    return Object.assign(bytes, { [Symbol.asyncDispose]: async () => void open-- })
  }
  const items = ['a', 'b\u0007', 'c', 'd', 'e'].map((name) => ({ key: name, name, source }))
  const results = await collect(uploadMany(client, items, { vaultId, files: 2 }))
  expect(results.flatMap(({ key, error }) => (error ? [[key, (error as Error).name]] : []))).toEqual([
    ['b\u0007', 'ValidationFailedError'],
  ])
  const { files } = await listFiles(client, { vaultId }).page()
  expect(files.map(({ id }) => id).toSorted()).toEqual(results.flatMap(({ file }) => file?.id ?? []).toSorted())
  expect(open).toBe(0)
})

test.concurrent('a wait returns when the file reaches the status, or when the caller aborts', async () => {
  const { client, vaultId } = await sdkAccount()
  const file = await upload(client, randomBytes(50), { vaultId, name: 'a' })
  const seen: string[] = []
  const cold = await waitFor(client, file, 'cold', { onChange: ({ status }) => seen.push(status) })
  expect(cold).toMatchObject({ status: 'cold', inHotCache: false })
  expect(seen.at(-1)).toBe('cold')
  await expect(waitFor(client, cold, 'hot')).resolves.toMatchObject({ status: 'cold' })
  await expect(waitFor(client, cold, 'error', { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
    name: 'TimeoutError',
  })
})

test.concurrent('files that an earlier run finished are checked with one request per hundred', async () => {
  const { client, vaultId } = await sdkAccount()
  const entries = new Map<string, JournalEntry>()
  const journal: Journal = { read: (key) => entries.get(key), write: (key, entry) => void entries.set(key, entry) }
  const items = Array.from({ length: 250 }, (_, index) => ({ key: `${index}`, name: `${index}`, source: randomBytes(10) })) // biome-ignore format: one list
  const before = await collect(uploadMany(client, items, { vaultId, files: 8, journal }))
  const requests: string[] = []
  const counting: typeof client = {
    ...client,
    fetch(url, init) {
      requests.push(`${init.method} ${url}`)
      return client.fetch(url, init)
    },
  }
  const again = await collect(uploadMany(counting, items, { vaultId, files: 8, journal }))
  const idsOf = (results: typeof again) => results.map(({ key, file }) => [key, file?.id].join()).toSorted()
  expect(idsOf(again)).toEqual(idsOf(before))
  expect(requests.length).toBeLessThanOrEqual(3)

  // A trashed file and a new item are uploaded.
  const [gone] = before
  await deleteFile(client, { fileId: gone?.file?.id as string })
  const more = [...items, { key: 'new', name: 'new', source: randomBytes(10) }]
  const last = await collect(uploadMany(counting, more, { vaultId, journal }))
  const known = new Set(idsOf(before))
  const changed = idsOf(last).filter((one) => !known.has(one))
  expect(changed.map((one) => one.split(',')[0]).toSorted()).toEqual([gone?.key, 'new'].toSorted())
})
