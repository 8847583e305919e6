import { onBehalfOf } from '@tideport/service-kit/context/request-context'

const operator = { method: 'operator', keyId: null, keyPrefix: null, subject: null } as const

/** Account logs show the actor as an operator, without name or address. */
export function asOperator<T>(work: () => T): T {
  return onBehalfOf({ actor: operator, clientAddress: null }, work)
}
