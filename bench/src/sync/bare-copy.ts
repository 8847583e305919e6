import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The least that a durable copy of a small file costs with a sync for each part: four fsyncs. The embedded network
 * needs fewer; the form stays, so that ratios can be compared.
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
