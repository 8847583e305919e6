import { z } from 'zod'

/** What an API key may be restricted to (docs/reference/http/keys.md). No list at all means full access. */
export const scopes = [
  'vaults:read',
  'vaults:write',
  'files:read',
  'files:write',
  'links:read',
  'links:write',
  'webhooks:read',
  'webhooks:write',
  'keys:read',
  'keys:write',
  'account:read',
] as const

export const scope = z.enum(scopes)
export type Scope = z.infer<typeof scope>
