import { clientAddressHeader } from '@tideport/contracts/internal/client-address'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { AuditOrigin } from '@tideport/contracts/public/audit-event'
import type { FastifyRequest } from 'fastify'
import { currentTrace } from '../context/request-context.ts'

/** Who makes this request, from where, and its id, for what is written of it. */
export function auditOriginOf({
  principal,
  request,
}: {
  principal: AccountPrincipal
  request: Pick<FastifyRequest, 'headers'>
}): AuditOrigin {
  const { method, keyId = null, keyPrefix = null, subject = null } = principal
  return {
    actor: { method, keyId, keyPrefix, subject },
    clientAddress: request.headers[clientAddressHeader]?.toString() ?? null,
    requestId: currentTrace().requestId,
  }
}
