import { type Client, download, type FileRecord, NotFoundError, publicBlobBytes, publicFileBytes } from '@tideport/sdk'
import { downloadPrivate } from '@tideport/sdk/crypto'
import { compare, type DemoFile } from './demo-file.ts'

/**
 * Reads a public file as its owner, by file id, and once synced by blob id; a private file only as its owner. Throws
 * unless the bytes are the original's, or when a public route finds a private file.
 */
export async function readEveryWay(client: Client, file: DemoFile, record: FileRecord): Promise<void> {
  const { id: fileId, vaultKey } = file
  const blobId = record.storageNetworkBlobId
  const routes = [
    () => publicFileBytes(client, { fileId }),
    ...(blobId === null ? [] : [() => publicBlobBytes(client, { blobId })]),
  ]
  if (vaultKey) {
    await compare(file, (await downloadPrivate(client, fileId, { vaultKey: await vaultKey.open() })).body)
    for (const read of routes) await expectNotFound(read)
    return
  }
  for (const read of routes) await compare(file, (await read()).body)
  await compare(file, (await download(client, fileId)).body)
}

async function expectNotFound(read: () => Promise<Response>): Promise<void> {
  const answer = await read().catch((error: unknown) => {
    if (error instanceof NotFoundError) return null
    throw error
  })
  if (answer) throw new Error('A private file can be seen without credentials')
}
