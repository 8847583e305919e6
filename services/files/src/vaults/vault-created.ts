import { appendEvents, vaultPayload } from '@tideport/file-lifecycle/state/append-event'
import type { RawBuilder } from 'kysely'

/** Tells of the vaults of a table, or of a part of the statement that makes them. */
export function vaultCreated(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return appendEvents({ kind: 'vault', type: 'vault.created', payload: vaultPayload('vault.created'), from })
}
