import { hash } from 'node:crypto'
import { malformed, textOf } from '@tideport/s3-client/response'
import type { Bucket } from './bucket.ts'
import { failureOf } from './failure.ts'
import type { ObjectName } from './keys.ts'
import { checksumOf, orNull, versionOf } from './objects.ts'

/** How long a copy is locked after it is stored or renewed (S3 Object Lock). */
export interface LockSettings {
  /** `compliance`: not even the owner of the bucket can remove it. */
  mode: 'governance' | 'compliance'
  days: number
}

const DAY_MS = 86_400_000

/** The expiry of a lock that begins now, in whole seconds as in S3; null without a lock. */
export function lockEnd(lock: LockSettings | undefined): Date | null {
  return lock ? new Date(Math.floor((Date.now() + lock.days * DAY_MS) / 1000) * 1000) : null
}

export function lockHeaders(lock: LockSettings | undefined, until: Date | null): Record<string, string> {
  if (!lock || until === null) return {}
  return {
    'x-amz-object-lock-mode': lock.mode.toUpperCase(),
    'x-amz-object-lock-retain-until-date': until.toISOString(),
  }
}

/** Expiry of an object's lock; null: not locked, or missing. */
export async function lockedUntil(bucket: Bucket, object: ObjectName, signal: AbortSignal): Promise<Date | null> {
  const query = { ...versionOf(object), retention: '' }
  const answer = await orNull(bucket.ask({ method: 'GET', key: object.key, query }, signal))
  if (answer === null) return null
  const until = new Date(textOf(answer.body, 'RetainUntilDate') ?? '')
  // S3 returns 404 for an object without retention. A page of a proxy does not prove that.
  if (Number.isNaN(until.getTime())) throw failureOf(malformed('has no date of a retention'))
  return until
}

/** False: the object is missing. */
export async function lockUntil(
  bucket: Bucket,
  object: ObjectName,
  { mode }: LockSettings,
  until: Date,
  signal: AbortSignal,
): Promise<boolean> {
  const query = { ...versionOf(object), retention: '' }
  const body = `<Retention xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Mode>${mode.toUpperCase()}</Mode><RetainUntilDate>${until.toISOString()}</RetainUntilDate></Retention>`
  const headers = { 'content-type': 'application/xml', 'x-amz-checksum-sha256': checksumOf(hash('sha256', body)) }
  return (await orNull(bucket.ask({ method: 'PUT', key: object.key, query, headers, body }, signal))) !== null
}
