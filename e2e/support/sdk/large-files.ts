import { open, rm } from 'node:fs/promises'
import { createClient, createVault, deleteFile, download, upload } from '@tideport/sdk'
import { createVaultKey, downloadPrivate, uploadPrivate } from '@tideport/sdk/crypto'
import { openFile, spoolToDisk } from '@tideport/sdk/node'

/** Transfers a large file in each way; prints the bytes and the memory growth. Arguments: service, key, path, size. */
const [baseUrl = '', apiKey = '', path = '', size = ''] = process.argv.slice(2)
const sizeBytes = Number(size)
const client = createClient({ baseUrl, apiKey })
const [shown, secret] = [
  await createVault(client, { name: 'Large', visibility: 'public' }),
  await createVault(client, { name: 'Large secret', visibility: 'private' }),
]
const vaultKey = createVaultKey()
const moved: Record<string, number> = {}
let most = 0
const watching = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss())
}, 20)

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
  // The memory that a first transfer loads and keeps is not growth.
  await upload(client, new Uint8Array(20 * 1024 ** 2), {
    vaultId: shown.id,
    name: 'warm',
    partSizeBytes: 8 * 1024 ** 2,
  })
  const before = process.memoryUsage.rss()
  const file = await upload(client, source, { vaultId: shown.id })
  moved.upload = file.sizeBytes ?? 0
  moved.download = await count((await download(client, file.id)).body)
  await deleteFile(client, { fileId: file.id, permanent: true })
  const stream = await upload(client, unknownSize(), { vaultId: shown.id, name: 'stream', spool: spoolToDisk })
  moved.streamOfUnknownSize = stream.sizeBytes ?? 0
  await deleteFile(client, { fileId: stream.id, permanent: true })
  const { id, plaintextSizeBytes } = await uploadPrivate(client, source, { vaultId: secret.id, vaultKey })
  moved.privateUpload = plaintextSizeBytes ?? 0
  moved.privateDownload = await count((await downloadPrivate(client, id, { vaultKey })).body)
  await deleteFile(client, { fileId: id, permanent: true })
  console.log(JSON.stringify({ moved, grownBytes: most - before }))
} finally {
  clearInterval(watching)
  await source.close()
  await rm(path)
}
