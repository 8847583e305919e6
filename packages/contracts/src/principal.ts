import { z } from 'zod'

/** What an API key may be restricted to (docs/api.md §5). No list at all means full access. */
export const scopes = [
  'vaults:read',
  'vaults:write',
  'files:read',
  'files:write',
  'webhooks:read',
  'webhooks:write',
  'keys:read',
  'keys:write',
  'account:read',
] as const

export const scope = z.enum(scopes)
export type Scope = z.infer<typeof scope>

/** An authenticated account. `scopes: null` is full access. */
export const accountPrincipal = z.object({
  kind: z.literal('account'),
  accountId: z.uuid(),
  method: z.enum(['api_key', 'jwt', 'development']),
  keyId: z.uuid().optional(),
  /** The first characters of the key, which its owner knows it by. */
  keyPrefix: z.string().optional(),
  /** The name at the identity provider. */
  subject: z.string().optional(),
  scopes: z.array(scope).nullable(),
})

/** Who is calling, as the gateway tells the services in its signed token. `gateway` is the gateway itself. */
export const principal = z.discriminatedUnion('kind', [
  accountPrincipal,
  z.object({ kind: z.literal('public') }),
  z.object({ kind: z.literal('gateway') }),
])

export type AccountPrincipal = z.infer<typeof accountPrincipal>
export type Principal = z.infer<typeof principal>

/** Header that carries the gateway's signed principal token to a service. */
export const principalHeader = 'x-tideport-principal'
