import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { installationIdOf } from '@tideport/file-lifecycle/copies/networks'
import type { CommandContext } from '../command.ts'
import type { Installation } from '../open-installation.ts'

/** Outside the keys of files. */
const KEY = 'tideport-bucket.json'

/**
 * Writes the installation's ID to the bucket. With another database, or a shared bucket, each object would look like an
 * orphan.
 */
export async function markBucket(installation: Installation, { log, signal }: CommandContext): Promise<void> {
  const id = await installationIdOf(installation.db)()
  const found = await readMarker(installation)
  if (found !== null && found !== id) throw foreign(found)
  const body = Readable.from([Buffer.from(`${JSON.stringify({ installation: id })}\n`)])
  if (found === null) await installation.hotTier.store(KEY, { mimeType: 'application/json', body }, signal)
  log.info({ installation: id }, found === null ? 'the bucket is marked' : 'the bucket was marked before')
}

/** Throws `Error` with a sentence when the marker is missing or another installation's. */
export async function assertOwnBucket(installation: Installation): Promise<void> {
  const found = await readMarker(installation)
  if (found === null) {
    throw new Error("the bucket has no marker: if it is this installation's alone, run operator orphans --mark-bucket")
  }
  if (found !== (await installationIdOf(installation.db)())) throw foreign(found)
}

async function readMarker({ hotTier }: Installation): Promise<string | null> {
  const bytes = await hotTier.open(KEY, undefined, AbortSignal.timeout(10_000))
  if (bytes === null) return null
  const { installation } = JSON.parse((await buffer(bytes)).toString())
  return String(installation)
}

function foreign(found: string): Error {
  return new Error(`the bucket is of installation ${found}, not of this one`)
}
