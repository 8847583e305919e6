import { hash } from 'node:crypto'
import { formatMarker, type Marker, parseMarker } from '../owner.ts'
import type { Bucket } from './bucket.ts'
import { MARKER_KEY } from './keys.ts'
import { orNull, putObject } from './objects.ts'

/** Null: no marker exists. @throws NetworkError */
export async function readMarker(bucket: Bucket, signal: AbortSignal): Promise<Marker | null> {
  const answer = await orNull(bucket.ask({ method: 'GET', key: MARKER_KEY }, signal))
  return answer && parseMarker('bucket', answer.body)
}

export async function writeMarker(bucket: Bucket, marker: Marker, signal: AbortSignal): Promise<void> {
  const bytes = formatMarker(marker)
  const body = { pieces: [bytes], sizeBytes: bytes.length, sha256: hash('sha256', bytes) }
  await putObject(bucket, MARKER_KEY, body, { 'content-type': 'application/json' }, signal)
}
