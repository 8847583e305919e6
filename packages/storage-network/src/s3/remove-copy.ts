import { elementsOf, textOf } from '@tideport/s3-client/response'
import type { CopyName, Removal } from '../storage-network.ts'
import type { Bucket } from './bucket.ts'
import { isDenied } from './failure.ts'
import { type ObjectName, objectsOf } from './keys.ts'
import { lockedUntil } from './lock.ts'
import { orNull, versionOf } from './objects.ts'
import { pagesOf } from './pages.ts'
import type { Store } from './store.ts'

/** Removes every version of a copy's objects. Locked ones stay below a delete marker (docs/operate/networks/s3.md). */
export async function removeCopy({ bucket, owner }: Store, copy: CopyName, signal: AbortSignal): Promise<Removal> {
  await owner.ensure(signal)
  let keptUntil: Date | null = null
  for (const { key } of objectsOf(copy)) {
    const until = await removeObject(bucket, key, signal)
    if (until && (keptUntil === null || until > keptUntil)) keptUntil = until
  }
  return keptUntil ? { outcome: 'expires', expiresAt: keptUntil } : { outcome: 'released' }
}

/** Expiry of the lock; null: the version has been deleted. */
export async function removeObject(bucket: Bucket, key: string, signal: AbortSignal): Promise<Date | null> {
  const removal = await orNull(bucket.ask({ method: 'DELETE', key }, signal))
  // Without versions, the object has been deleted.
  if (removal?.headers['x-amz-delete-marker'] === undefined && removal?.headers['x-amz-version-id'] === undefined)
    return null
  const { versions, markers } = await listVersions(bucket, key, signal)
  let keptUntil: Date | null = null
  for (const version of versions) {
    const until = await removeVersion(bucket, version, signal)
    if (until && (keptUntil === null || until > keptUntil)) keptUntil = until
  }
  // The delete marker hides locked versions, and the lifecycle rule deletes them later.
  for (const marker of keptUntil ? markers.slice(1) : markers) await removeVersion(bucket, marker, signal)
  return keptUntil
}

async function removeVersion(bucket: Bucket, object: ObjectName, signal: AbortSignal): Promise<Date | null> {
  try {
    await orNull(bucket.ask({ method: 'DELETE', key: object.key, query: versionOf(object) }, signal))
    return null
  } catch (error) {
    const until = isDenied(error) ? await lockedUntil(bucket, object, signal) : null
    if (until === null || until.getTime() <= Date.now()) throw error
    return until
  }
}

/** Versions of exactly this key, newest first. */
async function listVersions(bucket: Bucket, key: string, signal: AbortSignal) {
  const [versions, markers]: [ObjectName[], ObjectName[]] = [[], []]
  const next = { 'key-marker': 'NextKeyMarker', 'version-id-marker': 'NextVersionIdMarker' }
  const list = { root: 'ListVersionsResult', query: { versions: '', prefix: key }, next }
  for await (const page of pagesOf(bucket, list, signal)) {
    for (const [name, list] of [
      ['Version', versions],
      ['DeleteMarker', markers],
    ] as const) {
      for (const one of elementsOf(page, name)) {
        if (textOf(one, 'Key') === key) list.push({ key, versionId: textOf(one, 'VersionId') })
      }
    }
    // Keys are sorted, so a further page has more versions of this key or none.
    const goesOnAt = textOf(page, 'NextKeyMarker')
    if (goesOnAt !== undefined && goesOnAt !== key) break
  }
  return { versions, markers }
}
