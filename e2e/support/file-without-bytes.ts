import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { createVault } from './account.ts'
import type { ApiClient } from './api-client.ts'
import { holdProcesses } from './hold-processes.ts'
import { sharedStack } from './shared-stack.ts'
import { hotCopies, openHotTier } from './stored-copies.ts'
import { uniqueBytes, untilStatus, uploadFile } from './uploads.ts'

/** A file in error, because the test deleted its hot object before the file had a copy. */
export async function fileWithoutBytes(owner: ApiClient) {
  const [stack, bytes, mimeType] = [sharedStack(), uniqueBytes(), 'text/plain']
  const { id: vaultId } = await createVault(owner, 'public')
  await using held = await holdProcesses(stack, 'sync')
  const { id } = await uploadFile(owner, { vaultId, bytes, mimeType })
  const [Key] = await hotCopies(stack, id)
  const object = { Bucket: stack.s3.bucket, Key }
  const store = openHotTier(stack)
  await store.send(new DeleteObjectCommand(object))
  await held.release('sync')
  const inError = await untilStatus(owner, id, 'error')
  return {
    id,
    bytes,
    inError,
    putBack: () => store.send(new PutObjectCommand({ ...object, Body: bytes, ContentType: mimeType })),
    [Symbol.dispose]: () => store.destroy(),
  }
}
