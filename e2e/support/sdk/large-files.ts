import { open, rm } from 'node:fs/promises'
import { createClient, createVault, deleteFile, download, upload } from '@tideport/sdk'
import { createVaultKey, downloadPrivate, uploadPrivate } from '@tideport/sdk/crypto'
import { openFile, spoolToDisk } from '@tideport/sdk/node'

/**
 * A process of its own: moves one large file in each way that a program does, and prints how much its memory grew
 * meanwhile and how many bytes a second went. Arguments: the service, a key, a path for the file, its size.
 */
const [baseUrl = '', apiKey = '', path = '', size = ''] = process.argv.slice(2)
const sizeBytes = Number(size)
const client = createClient({ baseUrl, apiKey })
const [shown, secret] = [
  await createVault(client, { name: 'Large', visibility: 'public' }),
  await createVault(client, { name: 'Large secret', visibility: 'private' }),
]
const vaultKey = createVaultKey()
const told: Record<string, { bytes: number; bytesPerSecond: number }> = {}
let most = 0
const watching = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss())
}, 20)

async function time(name: string, work: () => Promise<number>): Promise<void> {
  const startedAt = performance.now()
  const bytes = await work()
  told[name] = { bytes, bytesPerSecond: Math.round(bytes / ((performance.now() - startedAt) / 1000)) }
}

async function count(body: ReadableStream<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const chunk of body) bytes += chunk.length
  return bytes
}

async function* unknownSize(): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(1024 ** 2)
  for (let given = 0; given < sizeBytes; given += chunk.length) yield chunk.subarray(0, sizeBytes - given)
}

const handle = await open(path, 'w')
await handle.truncate(sizeBytes)
await handle.close()
const source = await openFile(path)
try {
  // What a first transfer loads and keeps is no growth.
  await upload(client, new Uint8Array(20 * 1024 ** 2), {
    vaultId: shown.id,
    name: 'warm',
    partSizeBytes: 8 * 1024 ** 2,
  })
  const before = process.memoryUsage.rss()
  let id = ''
  await time('upload', async () => {
    const file = await upload(client, source, { vaultId: shown.id })
    id = file.id
    return file.sizeBytes ?? 0
  })
  await time('download', async () => count((await download(client, id)).body))
  await deleteFile(client, { fileId: id, permanent: true })
  await time('stream of unknown size', async () => {
    const file = await upload(client, unknownSize(), { vaultId: shown.id, name: 'stream', spool: spoolToDisk })
    id = file.id
    return file.sizeBytes ?? 0
  })
  await deleteFile(client, { fileId: id, permanent: true })
  await time('private upload', async () => {
    const file = await uploadPrivate(client, source, { vaultId: secret.id, vaultKey })
    id = file.id
    return file.plaintextSizeBytes ?? 0
  })
  await time('private download', async () => count((await downloadPrivate(client, id, { vaultKey })).body))
  await deleteFile(client, { fileId: id, permanent: true })
  console.log(JSON.stringify({ told, grownBytes: most - before }))
} finally {
  clearInterval(watching)
  await source.close()
  await rm(path)
}
