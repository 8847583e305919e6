import type { SecretBox } from '@tideport/service-kit/secrets/secret-box'
import { z } from 'zod'

/** The target in the job's row, without secrets. */
export const exportBucket = z.object({
  endpoint: z.string().optional(),
  region: z.string(),
  bucket: z.string(),
  forcePathStyle: z.boolean(),
  /** For this export only; ends in a slash. */
  folder: z.string(),
})
export type ExportBucket = z.infer<typeof exportBucket>

/** Sealed in the row for as long as the job needs them. */
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

/** Throws for another job's credentials, or a key that is no longer configured. */
export function openCredentials(box: SecretBox, job: Of, sealed: string): BucketCredentials {
  return bucketCredentials.parse(JSON.parse(box.open(sealed, sealedFor(job))))
}

/** Binds credentials to their row. */
export const sealedFor = ({ accountId, id }: Of): string => `export-credentials/${accountId}/${id}`
