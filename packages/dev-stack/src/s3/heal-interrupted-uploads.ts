import { glob, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * versitygw moves an upload aside as `<id>.<etag>.inprogress` while it completes it. Killed meanwhile, it answers every
 * later completion with success, but the object never appears. Moving the upload back lets the next completion do its
 * work. Only while the server is down. `trees` are the roots of its objects and of its metadata: both hold the upload.
 */
export async function healInterruptedUploads(trees: readonly string[]): Promise<void> {
  for (const tree of trees) {
    for await (const path of glob('*/.sgwtmp/multipart/*/*.inprogress', { cwd: tree })) {
      await moveBack(join(tree, path))
    }
  }
}

async function moveBack(interrupted: string): Promise<void> {
  const upload = interrupted.replace(/\.[^./]+\.inprogress$/, '')
  // A PUT that was on its way when the completion began can have made the upload anew; the completion's parts count.
  await rm(upload, { recursive: true, force: true })
  await rename(interrupted, upload)
}
