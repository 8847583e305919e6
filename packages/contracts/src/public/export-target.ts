import { z } from 'zod'
import { bytesOf } from './paths.ts'
import { plainText } from './text.ts'

const PREFIX_BYTES_MAX = 512
/** Characters that a header can carry, because the value is sent in one. */
const visible = /^[\x21-\x7e]+$/

/** No user name, query, or fragment. The service checks whether the host is allowed. */
const endpoint = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/i, { error: 'Must be an https URL without user, query, and fragment' })

const prefix = plainText(0, PREFIX_BYTES_MAX)
  .refine((text) => bytesOf(text) <= PREFIX_BYTES_MAX, { error: `Must be at most ${PREFIX_BYTES_MAX} bytes` })
  .refine((text) => !/^\/|\/\/|(^|\/)\.\.?(\/|$)/.test(text), { error: 'Must not have empty parts, nor . or ..' })

/** A bucket of the account's owner, with credentials. No response contains the credentials. */
export const exportTarget = z
  .object({
    type: z.literal('s3'),
    endpoint: endpoint.optional().describe('URL of the S3 service, e.g. `https://s3.example`; defaults to AWS'),
    region: z
      .string()
      .regex(/^[a-z0-9-]{1,64}$/, { error: 'Must be a region, e.g. eu-central-1' })
      .default('us-east-1'),
    bucket: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/, { error: 'Must be the name of a bucket' }),
    prefix: prefix.default('').describe('Each export writes its objects to a new folder below this prefix'),
    forcePathStyle: z
      .boolean()
      .optional()
      .describe(
        'Use `<endpoint>/<bucket>/<key>` instead of a host name for the bucket. Defaults to true with `endpoint`',
      ),
    accessKeyId: z
      .string()
      .max(128)
      .regex(/^[\x21-\x2b\x2d\x2e\x30-\x7e]+$/, { error: 'Must be an access key id' }),
    secretAccessKey: z.string().min(1).max(1024),
    sessionToken: z.string().max(8192).regex(visible, { error: 'Must be a session token' }).optional(),
  })
  .meta({ id: 'ExportTarget' })
export type ExportTarget = z.output<typeof exportTarget>
