import { z } from 'zod'

const tags = z.string().max(4096).optional()

/** Of the file at the path of an upload. */
export const pathConditions = {
  'if-match': tags.describe(
    'ETags of files, or `*`: the upload replaces the file at the path only if it has one of these ETags (412 `precondition_failed` with the current ETag)',
  ),
  'if-none-match': tags.describe('`*`: only if no file has the path. ETags: only if its file has none of them'),
}

/** Of a file's record. */
export const recordConditions = {
  'if-match': tags.describe(
    'ETags of the file’s record, or `*`: 412 `precondition_failed` with the current ETag if another request has changed it',
  ),
}
