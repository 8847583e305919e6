import { onBehalfOf } from '@tideport/service-kit/context/request-context'

const operator = { method: 'operator', keyId: null, keyPrefix: null, subject: null } as const

/** What `work` does to files is in the logs of their owners as an operator's, whose name and address are not theirs. */
export function asOperator<T>(work: () => T): T {
  return onBehalfOf({ actor: operator, clientAddress: null }, work)
}
