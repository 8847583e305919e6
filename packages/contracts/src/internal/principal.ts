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
  /** The first characters of the key, which its owner knows it by. */
  keyPrefix: z.string().optional(),
  subject: z.string().optional(),
  scopes: z.array(scope).nullable(),
  limits: heldLimits.optional(),
  /** Somebody who runs the installation, signed in as such (ADR 0024). Never by a key. */
  isOperator: z.literal(true).optional(),
})

/** Who is calling, as the gateway tells the services in its signed token. `gateway` is the gateway itself. */
export const principal = z.discriminatedUnion('kind', [
  accountPrincipal,
  z.object({ kind: z.literal('public') }),
  z.object({ kind: z.literal('gateway') }),
])

export type AccountPrincipal = z.infer<typeof accountPrincipal>
export type Principal = z.infer<typeof principal>

export const principalHeader = 'x-tideport-principal'
