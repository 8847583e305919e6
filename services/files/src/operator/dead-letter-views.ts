import type { DeadLetter } from '@tideport/contracts/public/operator-dead-letters'
import type { FailedCopy } from '@tideport/file-lifecycle/repair/dead-letters/failed-copies'
import type { FileInError } from '@tideport/file-lifecycle/repair/dead-letters/files-in-error'
import type { UnpublishedEvent } from '@tideport/file-lifecycle/repair/dead-letters/unpublished-events'
import type { CopyRow } from '@tideport/file-lifecycle/state/tables'

const none = { status: null, sizeBytes: null, network: null, copies: null, event: null } as const

export function toFileLetter(file: FileInError, copies: readonly CopyRow[]): DeadLetter {
  const { id, accountId, status, sizeBytes, errorCode: reason, erroredAt } = file
  const states = copies.map(({ network, state, lostAt }) => ({
    network,
    state: state === 'planned' && lostAt ? 'lost' : state,
  }))
  const since = erroredAt?.toISOString() ?? null
  return { ...none, kind: 'files', id, accountId, status, sizeBytes, copies: states, reason, since }
}

export function toCopyLetter({ id, accountId, status, sizeBytes, network, reason, failedAt }: FailedCopy): DeadLetter {
  const since = failedAt?.toISOString() ?? null
  return { ...none, kind: 'copies', id, accountId, status, sizeBytes, network, reason, since }
}

export function toEventLetter({ id, accountId, type: event, failure: reason, at }: UnpublishedEvent): DeadLetter {
  return { ...none, kind: 'events', id, accountId, event, reason, since: at.toISOString() }
}
