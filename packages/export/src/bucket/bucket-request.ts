import type { SecretBox } from '@tideport/service-kit/secrets/secret-box'
import { z } from 'zod'

/** Where an export goes, as its job's row has it: nothing of it is secret. */
export const exportBucket = z.object({
  endpoint: z.string().optional(),
  region: z.string(),
  bucket: z.string(),
  forcePathStyle: z.boolean(),
  /** Of this export alone, with a slash at its end. */
  folder: z.string(),
})
export type ExportBucket = z.infer<typeof exportBucket>

/** What lets us into the bucket: in a row it is sealed, for as long as the job needs it. */
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

/** Throws when they were sealed for another job, or by a key that is not configured any more. */
export function openCredentials(box: SecretBox, job: Of, sealed: string): BucketCredentials {
  return bucketCredentials.parse(JSON.parse(box.open(sealed, sealedFor(job))))
}

/** So that what is copied to another row does not open. */
export const sealedFor = ({ accountId, id }: Of): string => `export-credentials/${accountId}/${id}`
