import { access, glob, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { gunzipSync } from 'node:zlib'

const suffix = /\.[^./]+\.inprogress$/

/**
 * Moves back uploads whose completion was killed (`<id>.<etag>.inprogress`), because versitygw would report success
 * without an object. Call it only while the server is stopped. Objects and metadata have separate trees.
 */
export async function healInterruptedUploads(objects: string, metadata: string): Promise<void> {
  for await (const interrupted of glob('*/.sgwtmp/multipart/*/*.inprogress', { cwd: objects })) {
    const heal = (await isFinished(objects, metadata, interrupted)) ? remove : moveBack
    // Changes the searched tree last, so that the next call finds and completes an interrupted repair.
    await heal(join(metadata, interrupted))
    await heal(join(objects, interrupted))
  }
}

/** Whether only the cleanup was interrupted. Then some parts may be removed, and the upload must not be moved back. */
async function isFinished(objects: string, metadata: string, interrupted: string): Promise<boolean> {
  const [bucket] = interrupted.split(sep) as [string]
  const uploadId = interrupted.split(sep).at(-1)?.replace(suffix, '') as string
  const key = await readFile(join(metadata, dirname(interrupted), 'meta/objname'), 'utf8').catch(ignoreMissing)
  if (key === undefined || !(await exists(join(objects, bucket, key)))) return false
  const origin = await readFile(join(metadata, bucket, key, 'meta/mp-metadata')).catch(ignoreMissing)
  return origin !== undefined && gunzipSync(origin).includes(uploadId)
}

async function moveBack(interrupted: string): Promise<void> {
  const upload = interrupted.replace(suffix, '')
  const aside = `${upload}.superseded`
  try {
    // A PUT in progress when the completion began may have re-created the upload. The completion's parts count.
    await rename(upload, aside).catch(ignoreMissing)
    await rename(interrupted, upload)
  } catch (error) {
    ignoreMissing(error as NodeJS.ErrnoException)
    await rename(aside, upload).catch(ignoreMissing) // the server was killed before it renamed this tree
  }
  await remove(aside)
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

const remove = (path: string) => rm(path, { recursive: true, force: true })

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
