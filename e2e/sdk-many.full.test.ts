import { randomBytes } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createVault,
  FileFailedError,
  listFiles,
  listVaults,
  NotFoundError,
  readFile,
  type UploadItem,
  uploadMany,
  waitFor,
} from '@tideport/sdk'
import { openJournal } from '@tideport/sdk/node'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { sdkAccount } from './support/sdk/sdk-account.ts'
import { watchedPuts } from './support/sdk/watched-puts.ts'

const MIB = 1024 ** 2

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

test.concurrent('many files are uploaded side by side, and one that fails holds up no other', async () => {
  const { client, vaultId } = await sdkAccount()
  const names = ['a', 'b\u0007c', 'd', 'e', 'f']
  const items: UploadItem[] = names.map((name) => ({ key: name, name, source: randomBytes(100) }))
  const results = await collect(uploadMany(client, items, { vaultId, files: 2 }))
  expect(results.filter(({ error }) => error).map(({ key, error }) => [key, (error as Error).name])).toEqual([
    ['b\u0007c', 'ValidationFailedError'],
  ])
  const { files } = await listFiles(client, { vaultId }).page()
  expect(files.map(({ id }) => id).toSorted()).toEqual(results.flatMap(({ file }) => file?.id ?? []).toSorted())
})

test.concurrent('a run of many files that was killed is gone on with from its journal: nothing is sent twice, and no file is there twice', async () => {
  await using directory = await createTemporaryDirectory('journal')
  const path = join(directory.path, 'run.journal')
  const account = await sdkAccount()
  const items: UploadItem[] = [100, 11 * MIB, 200, 300].map((size, index) => ({
    key: `${index}`,
    name: `${index}`,
    source: randomBytes(size),
  }))
  const options = { vaultId: account.vaultId, files: 1, partSizeBytes: undefined, parallel: 1 }
  const dying = watchedPuts((_, number) => (number === 2 ? { status: 400, text: '' } : undefined))
  // Large ones go in parts here, and the second part kills the run.
  const sized = items.map((item) => (item.key === '1' ? { ...item, partSizeBytes: 5 * MIB } : item))
  await using first = await openJournal(path)
  for await (const { key, error } of uploadMany(account.again(dying.options), sized, { ...options, journal: first })) {
    if (error || key === '1') break
  }
  await first.close()
  // A crash cuts off the line that was being written.
  await appendFile(path, '{"key":"2","fil')
  const puts = watchedPuts()
  await using second = await openJournal(path)
  const results = await collect(uploadMany(account.again(puts.options), sized, { ...options, journal: second }))
  expect(results.map(({ key, error }) => [key, error])).toEqual(items.map(({ key }) => [key, undefined]))
  expect(puts.urls).toHaveLength(2)
  const { files } = await listFiles(account.client, { vaultId: account.vaultId }).page()
  expect(files.map(({ name }) => name).toSorted()).toEqual(['0', '1', '2', '3'])
  await second.close()
  await using third = await openJournal(path)
  const again = await collect(uploadMany(account.client, sized, { ...options, journal: third }))
  expect(again.map(({ file }) => file?.id).toSorted()).toEqual(files.map(({ id }) => id).toSorted())
})

test.concurrent('what is opened for an item is closed when that is over, whether or not it went well', async () => {
  const { client, vaultId } = await sdkAccount()
  let open = 0
  const source = () => {
    open++
    const bytes = { size: 5, slice: (start: number, end: number) => randomBytes(end - start) }
    return Object.assign(bytes, { [Symbol.asyncDispose]: async () => void open-- })
  }
  const items = ['a', 'b\u0007', 'c'].map((name) => ({ key: name, name, source }))
  expect(await collect(uploadMany(client, items, { vaultId, files: 1 }))).toHaveLength(3)
  expect(open).toBe(0)
})

test.concurrent('a list gives all items of all pages, and a file is waited for until it is as far or failed', async () => {
  const { client, vaultId } = await sdkAccount()
  for (let index = 0; index < 4; index++) await createVault(client, { name: `Pier ${index}`, visibility: 'public' })
  const names: string[] = []
  for await (const { name } of listVaults(client, { limit: 2, sortBy: 'name', order: 'asc' })) names.push(name)
  expect(names).toEqual(['Default', 'Harbour', 'Pier 0', 'Pier 1', 'Pier 2', 'Pier 3'])
  const [result] = await collect(uploadMany(client, [{ key: 'a', name: 'a', source: randomBytes(50) }], { vaultId }))
  const seen: string[] = []
  const cold = await waitFor(client, result?.file as { id: string }, 'cold', {
    onChange: ({ status }) => seen.push(status),
  })
  expect(cold).toMatchObject({ status: 'cold', inHotCache: false })
  expect(seen.at(-1)).toBe('cold')
  await expect(waitFor(client, cold, 'hot')).resolves.toMatchObject({ status: 'cold' })
  await expect(waitFor(client, cold, 'error', { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
    name: 'TimeoutError',
  })
  expect(new FileFailedError({ id: 'f', error: 'Lost', errorCode: 'lost' })).toMatchObject({
    fileId: 'f',
    message: 'Lost',
    errorCode: 'lost',
  })
  const missing = await readFile(client, { fileId: crypto.randomUUID() }).catch((error) => error)
  expect(missing).toBeInstanceOf(NotFoundError)
  expect(missing.requestId).toMatch(/./)
})
