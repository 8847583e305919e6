import { hash } from 'node:crypto'
import { S3Error } from '@tideport/s3-client/response'
import { NetworkError } from '../errors.ts'
import type { Bucket } from './bucket.ts'
import { isArchived } from './failure.ts'
import type { ObjectName } from './keys.ts'
import { checksumOf, versionOf } from './objects.ts'

/** How bytes are restored from an archive: the S3 tier, and for how many days they are readable. */
export interface RestoreSettings {
  tier: 'expedited' | 'standard' | 'bulk'
  days: number
}

/** The longest restore time of each tier in hours, as documented by AWS. */
const HOURS = {
  GLACIER: { expedited: 1, standard: 5, bulk: 12 },
  DEEP_ARCHIVE: { expedited: 12, standard: 12, bulk: 48 },
}

/** Requests a restore for an archived object. @throws always: NetworkError `restoring`, or `error` */
export async function failRead(
  bucket: Bucket,
  object: ObjectName,
  error: unknown,
  settings: { storageClass?: string | undefined; restore: RestoreSettings },
  signal: AbortSignal,
): Promise<never> {
  if (!isArchived(error)) throw error
  await requestRestore(bucket, object, settings.restore, signal)
  const hours = HOURS[settings.storageClass === 'DEEP_ARCHIVE' ? 'DEEP_ARCHIVE' : 'GLACIER'][settings.restore.tier]
  const message = `the copy is being restored from an archive, which takes up to ${hours} h`
  throw new NetworkError('restoring', message, { cause: error, retryAfterSeconds: hours * 3600 })
}

async function requestRestore(
  bucket: Bucket,
  object: ObjectName,
  { tier, days }: RestoreSettings,
  signal: AbortSignal,
): Promise<void> {
  const name = `${tier[0]?.toUpperCase()}${tier.slice(1)}`
  const body = `<RestoreRequest xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Days>${days}</Days><GlacierJobParameters><Tier>${name}</Tier></GlacierJobParameters></RestoreRequest>`
  const headers = { 'content-type': 'application/xml', 'x-amz-checksum-sha256': checksumOf(hash('sha256', body)) }
  const query = { ...versionOf(object), restore: '' }
  try {
    await bucket.ask({ method: 'POST', key: object.key, query, headers, body }, signal)
  } catch (error) {
    // The restore is already running.
    const cause = error instanceof NetworkError ? error.cause : error
    if (!(cause instanceof S3Error && cause.name === 'RestoreAlreadyInProgress')) throw error
  }
}
