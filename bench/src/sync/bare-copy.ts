import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * What a durable copy of a small file costs at least where each part is synced for itself: content and sidecar written
 * and synced, a directory of the file's own, and that and its parent synced. Four fsyncs. The embedded network does
 * with less, no sidecar and a parent that is synced for several at once; the form stays, so that ratios can be compared.
 */
export async function copyDurably(dir: string, bytes: Uint8Array): Promise<void> {
  const id = createHash('sha256').update(bytes).update(randomUUID()).digest('hex')
  const [staged, own] = [join(dir, `staged-${id}`), join(dir, id)]
  await writeSynced(staged, bytes)
  await writeSynced(`${staged}.dag`, bytes.subarray(0, 100))
  await mkdir(own)
  await rename(`${staged}.dag`, join(own, 'content.dag'))
  await rename(staged, join(own, 'content'))
  await syncDirectory(own)
  await syncDirectory(dir)
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  await using handle = await open(path, 'wx')
  await handle.writeFile(bytes)
  await handle.sync()
}

async function syncDirectory(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}
