import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { Principal } from '@tideport/contracts/internal/principal'
import { AppError } from '../process/app-error.ts'

/** Throws 401 or 403 unless this principal may call this endpoint. */
export function authorize(access: Endpoint['access'], principal: Principal): void {
  switch (access) {
    case 'internal':
      if (principal.kind !== 'gateway') throw notAuthenticated()
      return
    case 'public':
      if (principal.kind === 'gateway') throw notAuthenticated()
      return
    default:
      if (principal.kind !== 'account') throw notAuthenticated()
      if (principal.scopes !== null && !principal.scopes.includes(access)) {
        throw new AppError('insufficient_scope', 'The API key lacks a required scope', {
          details: { requiredScope: access },
        })
      }
  }
}

export function notAuthenticated(): AppError {
  return new AppError('unauthenticated', 'Not authenticated')
}
