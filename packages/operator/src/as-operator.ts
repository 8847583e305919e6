import { onBehalfOf } from '@tideport/service-kit/context/request-context'

const operator = { method: 'operator', keyId: null, keyPrefix: null, subject: null } as const

/** What `work` does to files and vaults is in the logs of their accounts as an operator's. */
export function asOperator<T>(work: () => T): T {
  return onBehalfOf({ actor: operator, clientAddress: null }, work)
}
