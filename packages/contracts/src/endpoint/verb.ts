import { z } from 'zod'

/** What an API key may be limited to do with files and vaults, within its scopes (docs/api.md §5). */
export const verb = z.enum(['read', 'upload', 'change', 'delete', 'share'])
export type Verb = z.infer<typeof verb>
