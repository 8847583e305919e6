import type { SecretBox } from '@tideport/service-kit/secrets/secret-box'
import { z } from 'zod'

/** The target in the job's row, without secrets. */
export const exportBucket = z.object({
  endpoint: z.string().optional(),
  region: z.string(),
  bucket: z.string(),
  forcePathStyle: z.boolean(),
  /** Folder of this export only. Ends with a slash. */
  folder: z.string(),
})
export type ExportBucket = z.infer<typeof exportBucket>

/** Stored encrypted in the row while the job needs them. */
const bucketCredentials = z.object({
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  sessionToken: z.string().optional(),
})
export type BucketCredentials = z.infer<typeof bucketCredentials>

interface Of {
  accountId: string
  id: string
}

export function sealCredentials(box: SecretBox, job: Of, credentials: BucketCredentials): string {
  return box.seal(JSON.stringify(bucketCredentials.parse(credentials)), sealedFor(job))
}

/** Throws for credentials of another job, and for a key that is no longer configured. */
export function openCredentials(box: SecretBox, job: Of, sealed: string): BucketCredentials {
  return bucketCredentials.parse(JSON.parse(box.open(sealed, sealedFor(job))))
}

/** Binds encrypted credentials to their row. */
export const sealedFor = ({ accountId, id }: Of): string => `export-credentials/${accountId}/${id}`
