import { eventMessages } from '@tideport/contracts/internal/messages'
import { type Cause, currentCause } from '@tideport/service-kit/context/request-context'
import { type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'

/** The kind of the subject of an event. */
export type SubjectKind = 'file' | 'vault' | 'key' | 'webhook' | 'account'

/**
 * The only insert of events, part of the statement that makes the change. It inserts one event for each row of `from`,
 * a table or a part of the statement with `id` and `account_id`. `payload` may read the row. Types in the contracts are
 * published; other types are only history. The events share one new ID except for its last digits. The cause is the
 * current request, or with `of_rows` the columns `request_id`, `traceparent`, `actor`, and `client_address`.
 */
export function appendEvents(event: {
  kind: SubjectKind
  type: string
  payload: RawBuilder<unknown>
  from: RawBuilder<unknown>
  cause?: 'of_rows'
  /** The new ID, in a prepared statement. */
  id?: RawBuilder<unknown>
}): RawBuilder<unknown> {
  const { kind, type, payload, from, id = sql`${uuidv7()}` } = event
  const { requestId, traceparent, actor, clientAddress } = event.cause === 'of_rows' ? ofRows : ourCause()
  const whom = isAlwaysLogged(type) ? sql`coalesce(${actor}, ${ourselves}::jsonb)` : actor
  return sql`
    insert into event (id, subject_kind, subject_id, account_id, type, is_public, payload,
      request_id, traceparent, actor, client_address)
    select (left(${id}::text, -4) || lpad(to_hex(row_number() over ()), 4, '0'))::uuid, ${kind}::text, id, account_id,
      ${type}::text, ${type in eventMessages}::boolean, ${payload},
      ${requestId}, ${traceparent}, ${whom}, ${clientAddress}
    from ${from}`
}

/** Events that the audit log shows for any actor: start and end of files, and all events of vaults. */
function isAlwaysLogged(type: string): boolean {
  return type.startsWith('vault.') || alwaysLogged.includes(type)
}

const alwaysLogged = ['file.hot', 'file.deleted', 'file.restored', 'file.purged']
const ourselves = '{"method": "system", "keyId": null, "keyPrefix": null, "subject": null}'

const ofRows = {
  requestId: sql`request_id`,
  traceparent: sql`traceparent`,
  actor: sql`actor`,
  clientAddress: sql`client_address`,
}

function ourCause(): Record<keyof typeof ofRows, RawBuilder<unknown>> {
  const { requestId, traceparent, actor, clientAddress } = causeColumns(currentCause())
  return {
    requestId: sql`${requestId}::text`,
    traceparent: sql`${traceparent}::text`,
    actor: sql`${actor}::jsonb`,
    clientAddress: sql`${clientAddress}::text`,
  }
}

/** Converts a cause to the columns of an event. */
export function causeColumns({ requestId, traceparent, origin }: Cause) {
  const { actor = null, clientAddress = null } = origin ?? {}
  return { requestId, traceparent, actor: actor && JSON.stringify(actor), clientAddress }
}

/** The webhook body of a file's event (spec §6), from the changed row. Omits absent fields. */
export function eventPayload(
  type: string,
  { blobId, more = sql`'{}'::jsonb` }: { blobId: RawBuilder<unknown>; more?: RawBuilder<unknown> },
): RawBuilder<unknown> {
  return payloadOf(
    type,
    sql`jsonb_build_object(
      'fileId', id, 'fileName', name, 'vaultId', vault_id, 'status', status, 'sizeBytes', size_bytes,
      'filePath', case when folder <> '' then path end, 'replaces', replaces, 'replacedBy', replaced_by,
      'metadata', metadata, 'tags', tags, 'sealedMetadata', sealed_metadata, 'expiresAt', ${instantOf(sql`expires_at`)},
      'storageNetworkBlobId', ${blobId}, 'error', case when status = 'error' then error end) || ${more}`,
  )
}

/** The webhook body of a vault's event, from the changed row. */
export function vaultPayload(type: string): RawBuilder<unknown> {
  return payloadOf(
    type,
    sql`jsonb_build_object(
      'vaultId', id, 'vaultName', name, 'visibility', visibility, 'slug', slug, 'isDefault', is_default,
      'fileCount', file_count, 'storageBytes', storage_bytes)`,
  )
}

/** Formats a time as in our JSON. */
export function instantOf(time: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

function payloadOf(type: string, data: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`jsonb_strip_nulls(jsonb_build_object(
    'event', ${type}::text,
    'timestamp', ${instantOf(sql`now()`)},
    'data', ${data}))`
}

/** The payload of a timeline entry that is not a webhook event, e.g. why an attempt failed. */
export function timelinePayload(facts: Record<string, string | number | boolean | null>): RawBuilder<unknown> {
  return sql`${JSON.stringify(facts)}::jsonb`
}
