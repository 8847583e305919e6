import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { Scope } from '@tideport/contracts/endpoint/scope'
import type { HeldLimits } from '@tideport/contracts/internal/key-limits'
import type { AccountPrincipal, Principal } from '@tideport/contracts/internal/principal'
import { AppError, notFound } from '../process/app-error.ts'

/** Throws 401 or 403 (404 for operator endpoints) unless the principal may call the endpoint. */
export function authorize(endpoint: Pick<Endpoint, 'access' | 'verb'>, principal: Principal): void {
  const { access, verb } = endpoint
  switch (access) {
    case 'internal':
      if (principal.kind !== 'gateway') throw notAuthenticated()
      return
    case 'public':
      if (principal.kind === 'gateway') throw notAuthenticated()
      return
    case 'operator':
      if (principal.kind !== 'account' || !principal.isOperator) throw notFound()
      return
    default:
      if (principal.kind !== 'account') throw notAuthenticated()
      if (principal.scopes !== null && !principal.scopes.includes(access)) {
        throw lacksScope(access)
      }
      assertWithinLimits(verb, principal)
  }
}

/** Limited keys can only call endpoints for files and vaults. The service checks the key's vaults and prefixes. */
function assertWithinLimits(verb: Endpoint['verb'], { limits }: AccountPrincipal): void {
  if (!isConfined(limits) || verb === null) return
  if (verb === undefined)
    throw outsideLimits('The API key is limited to vaults, paths, or verbs that do not cover this request', {
      limit: 'vaultIds',
    })
  if (limits.verbs?.includes(verb) === false) {
    throw outsideLimits('The API key does not allow this verb', { limit: 'verbs', requiredVerb: verb })
  }
}

/** Whether a key can access only a part of its account. */
export function isConfined(limits: HeldLimits | undefined): limits is HeldLimits {
  return limits !== undefined && [limits.vaultIds, limits.prefixes, limits.verbs].some((limit) => limit != null)
}

export function lacksScope(requiredScope: Scope): AppError {
  return new AppError('insufficient_scope', 'The API key lacks a required scope', { details: { requiredScope } })
}

export function outsideLimits(sentence: string, details: Record<string, string>): AppError {
  return new AppError('outside_key_limits', sentence, { details })
}

export function notAuthenticated(): AppError {
  return new AppError('unauthenticated', 'Not authenticated')
}
