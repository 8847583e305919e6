import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { clientAddressHeader } from '@tideport/contracts/internal/request-headers'
import type { AuditOrigin } from '@tideport/contracts/public/audit-event'
import type { FastifyRequest } from 'fastify'
import { currentTrace, type Origin } from '../context/request-context.ts'

interface Asked {
  principal: AccountPrincipal
  request: Pick<FastifyRequest, 'headers'>
}

export function auditOriginOf(asked: Asked): AuditOrigin {
  return { ...originOf(asked), requestId: currentTrace().requestId }
}

export function originOf({ principal, request }: Asked): Origin {
  const { method, keyId = null, keyPrefix = null, subject = null } = principal
  return {
    actor: { method, keyId, keyPrefix, subject },
    clientAddress: request.headers[clientAddressHeader]?.toString() ?? null,
  }
}
