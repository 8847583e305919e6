import { z } from 'zod'

/** The scopes of an API key (docs/reference/http/keys.md). No list means full access. */
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
