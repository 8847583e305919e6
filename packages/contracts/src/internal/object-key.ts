import { z } from 'zod'
import { bytesOf } from '../public/paths.ts'

const KEY_BYTES_MAX = 1024

/** A key of the S3 door is stored byte for byte, so it has no other rules. */
export const objectKey = z.string().refine(isObjectKey, { error: `Must be 1 to ${KEY_BYTES_MAX} bytes of UTF-8` })

export function isObjectKey(key: string): boolean {
  return key !== '' && bytesOf(key) <= KEY_BYTES_MAX && key.isWellFormed() && !key.includes('\0')
}
