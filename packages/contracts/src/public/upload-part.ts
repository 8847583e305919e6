import { z } from 'zod'

const MIB = 1024 ** 2

/** Part sizes that S3 accepts; the last part of an upload may be smaller. */
const PART_BYTES_MIN = 5 * MIB
export const PART_BYTES_MAX = 5 * 1024 * MIB
export const PARTS_MAX = 10_000
export const PART_URLS_MAX = 1000

export const partSizeBytes = z
  .int()
  .min(PART_BYTES_MIN)
  .max(PART_BYTES_MAX)
  .nullish()
  .describe('Upload in parts of this size, the last one smaller. Omitted: one PUT')

/** All headers that a PUT needs. An HTTP client that sets Content-Length automatically sends the same value. */
export const putHeaders = z
  .object({ 'Content-Type': z.string() })
  .catchall(z.string())
  .describe('Send all of them. With `put: once`, they include `Content-Length` and `If-None-Match`')

/** A part of an upload and its URL: PUT exactly `sizeBytes` bytes, starting at `offsetBytes`. */
export const uploadPart = z
  .object({
    partNumber: z.int().min(1).max(PARTS_MAX),
    uploadUrl: z.string(),
    offsetBytes: z.int(),
    sizeBytes: z.int(),
  })
  .meta({ id: 'UploadPart' })
