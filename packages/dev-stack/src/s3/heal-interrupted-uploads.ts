import { glob, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * versitygw moves an upload aside as `<id>.<etag>.inprogress` while it completes it. Killed meanwhile, it answers every
 * later completion with success, but the object never appears. Moving the upload back lets the next completion do its
 * work. Only while the server is down. The upload is in both trees, that of the objects and that of their metadata.
 */
export async function healInterruptedUploads(objects: string, metadata: string): Promise<void> {
  for await (const interrupted of glob('*/.sgwtmp/multipart/*/*.inprogress', { cwd: objects })) {
    // The tree that is searched comes last, so a healing that is interrupted is found and finished by the next one.
    await moveBack(join(metadata, interrupted))
    await moveBack(join(objects, interrupted))
  }
}

async function moveBack(interrupted: string): Promise<void> {
  const upload = interrupted.replace(/\.[^./]+\.inprogress$/, '')
  const aside = `${upload}.superseded`
  try {
    // A PUT that was on its way when the completion began can have made the upload anew; the completion's parts count.
    await rename(upload, aside).catch(ignoreMissing)
    await rename(interrupted, upload)
  } catch (error) {
    ignoreMissing(error as NodeJS.ErrnoException)
    await rename(aside, upload).catch(ignoreMissing) // this tree was not moved yet when the server was killed
  }
  await rm(aside, { recursive: true, force: true })
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
