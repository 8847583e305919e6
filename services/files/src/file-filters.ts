import type { listFiles } from '@tideport/contracts/http/files'
import { type RawBuilder, sql } from 'kysely'
import { validate as isUuid } from 'uuid'
import type { z } from 'zod'

type Filters = Pick<
  z.output<typeof listFiles.query>,
  'vaultId' | 'status' | 'mimeType' | 'createdAfter' | 'createdBefore'
>

/** The filters of a list of files as one condition on `file`. A vault that is unknown holds no files. */
export function matchesFilters({
  vaultId,
  status,
  mimeType,
  createdAfter,
  createdBefore,
}: Filters): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [sql`true`]
  if (vaultId !== undefined) conditions.push(isUuid(vaultId) ? sql`vault_id = ${vaultId}` : sql`false`)
  if (status !== undefined) conditions.push(hasStatus(status))
  if (mimeType !== undefined) conditions.push(hasType(mimeType.toLowerCase()))
  // Clients see milliseconds: what was created in the one they name is not after it.
  if (createdAfter !== undefined) conditions.push(sql`created_at >= ${createdAfter}::timestamptz + interval '1 ms'`)
  if (createdBefore !== undefined) conditions.push(sql`created_at < ${createdBefore}::timestamptz`)
  return sql.join(conditions, sql` and `)
}

/** One status has an index that is in the order of the list; several have not. */
function hasStatus(statuses: string[]): RawBuilder<unknown> {
  return statuses.length === 1 ? sql`status = ${statuses[0]}` : sql`status = any(${statuses})`
}

function hasType(mimeType: string): RawBuilder<unknown> {
  return mimeType.endsWith('/*')
    ? sql`starts_with(lower(mime_type), ${mimeType.slice(0, -1)})`
    : sql`lower(mime_type) = ${mimeType}`
}
