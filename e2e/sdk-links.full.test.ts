import { randomBytes } from 'node:crypto'
import {
  createFileLink,
  createFolderLink,
  type LinkedFile,
  listLinks,
  NotFoundError,
  openLink,
  PasswordRequiredError,
  revokeLink,
  StorageError,
  upload,
  WrongPasswordError,
} from '@tideport/sdk'
import { expect, test } from 'vitest'
import { cutAfter } from './support/sdk/cut-after.ts'
import { sdkAccount } from './support/sdk/sdk-account.ts'

const read = async (body: ReadableStream) => Buffer.from(await new Response(body).arrayBuffer())

async function filesOf(files: AsyncIterable<LinkedFile>): Promise<LinkedFile[]> {
  const all: LinkedFile[] = []
  for await (const file of files) all.push(file)
  return all
}

test.concurrent('a link gives access to the file, completely and in part, until it is revoked', async () => {
  const { client, vaultId } = await sdkAccount()
  const bytes = randomBytes(200_000)
  const { id: fileId } = await upload(client, bytes, { vaultId, name: 'photo.jpg' })
  const link = await createFileLink(client, { fileId, expiresInSeconds: 3600 })
  const opened = await openLink(link.url)
  expect(opened).toMatchObject({ kind: 'file', name: 'photo.jpg', isEncrypted: false, downloadsLeft: null })
  const [file] = await filesOf(opened.files())
  expect(bytes.equals(await read(opened.read(file as LinkedFile)))).toBe(true)
  const part = opened.read(file as LinkedFile, { start: 1000, end: 5000 })
  expect(bytes.subarray(1000, 5000).equals(await read(part))).toBe(true)
  expect((await listLinks(client).page()).links).toMatchObject([{ id: link.id, state: 'usable' }])
  await revokeLink(client, { linkId: link.id })
  await expect(openLink(link.url)).rejects.toThrow(NotFoundError)
  await expect(read(opened.read(file as LinkedFile))).rejects.toThrow(StorageError)
  await expect(openLink('https://files.example/api')).rejects.toThrow(TypeError)
})

test.concurrent('a link to a folder lists all files below it, and no others', async () => {
  const { client, vaultId } = await sdkAccount()
  for (const path of ['trip/a.txt', 'trip/day 1/ü.txt', 'trip/day 1/deep/c.txt', 'other.txt']) {
    await upload(client, new Blob([path]), { vaultId, fields: { path } })
  }
  const { url } = await createFolderLink(client, { vaultId, prefix: 'trip/' })
  const opened = await openLink(url)
  const files = await filesOf(opened.files())
  expect(files.map(({ path }) => path).toSorted()).toEqual(['a.txt', 'day 1/deep/c.txt', 'day 1/ü.txt'])
  for (const file of files) expect(String(await read(opened.read(file)))).toBe(`trip/${file.path}`)
  expect(await filesOf(opened.files('day 1/'))).toHaveLength(2)
})

test.concurrent('a link with a password opens only with that password, and its cookie continues one download', async () => {
  const { client, vaultId } = await sdkAccount()
  const bytes = randomBytes(50_000)
  const { id: fileId } = await upload(client, bytes, { vaultId, name: 'a' })
  const { url } = await createFileLink(client, { fileId, password: 'correct horse', maxDownloads: 1 })
  await expect(openLink(url)).rejects.toThrow(PasswordRequiredError)
  await expect(openLink(url, { password: 'wrong horse' })).rejects.toThrow(WrongPasswordError)
  let broken = false
  const opened = await openLink(url, {
    password: 'correct horse',
    fetch: async (address, init) => {
      const response = await fetch(address, init)
      if (broken || !address.endsWith('/content')) return response
      broken = true
      return cutAfter(response, 20_000)
    },
  })
  const [file] = await filesOf(opened.files())
  expect(bytes.equals(await read(opened.read(file as LinkedFile)))).toBe(true)
  expect(broken).toBe(true)
  await expect(openLink(url, { password: 'correct horse' })).rejects.toThrow(NotFoundError)
})
