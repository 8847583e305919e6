import { z } from 'zod'

export const fileFailure = z.enum([
  'not_found',
  'upload_not_confirmed',
  'path_taken',
  'path_too_long',
  'state_conflict',
  'content_lost',
  'quota_exceeded',
])
export type FileFailure = z.infer<typeof fileFailure>
