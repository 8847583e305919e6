import { z } from 'zod'

export const verb = z.enum(['read', 'upload', 'change', 'delete', 'share'])
export type Verb = z.infer<typeof verb>
