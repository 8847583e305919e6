import { z } from 'zod'
import { scope } from '../endpoint/scope.ts'
import { uuid } from '../public/id.ts'
import { heldLimits } from './key-limits.ts'

/** An authenticated account. `scopes: null` is full access. */
export const accountPrincipal = z.object({
  kind: z.literal('account'),
  accountId: uuid,
  method: z.enum(['api_key', 'jwt', 'development']),
  keyId: uuid.optional(),
  /** The first characters of the key, by which its owner recognizes it. */
  keyPrefix: z.string().optional(),
  subject: z.string().optional(),
  scopes: z.array(scope).nullable(),
  limits: heldLimits.optional(),
  /** An operator who signed in at the identity provider, or a session of the owner (ADR 0024). Never another key. */
  isOperator: z.literal(true).optional(),
})

/** The caller, as in the signed token that the gateway sends to services. `gateway`: the gateway itself. */
export const principal = z.discriminatedUnion('kind', [
  accountPrincipal,
  z.object({ kind: z.literal('public') }),
  z.object({ kind: z.literal('gateway') }),
])

export type AccountPrincipal = z.infer<typeof accountPrincipal>
export type Principal = z.infer<typeof principal>

export const principalHeader = 'x-tideport-principal'
