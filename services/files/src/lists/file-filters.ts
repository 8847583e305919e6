import type { listFiles } from '@tideport/contracts/public/files'
import { essenceOf, parameterPatterns } from '@tideport/contracts/public/mime-type'
import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'

export type Filters = Pick<
  z.output<typeof listFiles.query>,
  'vaultId' | 'prefix' | 'tag' | 'status' | 'awaitingReview' | 'mimeType' | 'createdAfter' | 'createdBefore'
> & { meta?: Record<string, string> | undefined }

/** The type without parameters, as in the index of types. */
export const storedType = sql`lower(rtrim(split_part(mime_type collate "C", ';', 1)))`

export function conditionsOf({
  status,
  awaitingReview,
  mimeType,
  tag,
  meta,
  ...times
}: Omit<Filters, 'vaultId' | 'prefix'>): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = []
  if (status !== undefined) conditions.push(sql`status = any(${status})`)
  if (awaitingReview !== undefined) conditions.push(awaitingReview ? sql`awaiting_review` : sql`not awaiting_review`)
  if (mimeType !== undefined) conditions.push(hasType(mimeType))
  if (tag !== undefined) conditions.push(sql`tags @> ${tag}::text[]`)
  if (meta !== undefined) conditions.push(sql`metadata @> ${JSON.stringify(meta)}::jsonb`)
  if (times.createdAfter !== undefined || times.createdBefore !== undefined) conditions.push(wasCreated(times))
  return conditions
}

export function wasCreated({ createdAfter, createdBefore }: Filters): RawBuilder<unknown> {
  // Clients see milliseconds, so a file created within the given millisecond is not after it.
  const after =
    createdAfter === undefined ? sql`true` : sql`created_at >= ${createdAfter}::timestamptz + interval '1 ms'`
  const before = createdBefore === undefined ? sql`true` : sql`created_at < ${createdBefore}::timestamptz`
  return sql`${after} and ${before}`
}

/** The type of a filter without parameters: one type, or the prefix of a class of types. */
export function readType(mimeType: string): { type: string } | { prefix: string } {
  const type = essenceOf(mimeType)
  return type.endsWith('/*') ? { prefix: type.slice(0, -1) } : { type }
}

function hasType(mimeType: string): RawBuilder<unknown> {
  const asked = readType(mimeType)
  const isOf = 'type' in asked ? sql`${storedType} = ${asked.type}` : beginsWith(asked.prefix)
  const hasParameters = parameterPatterns(mimeType).map((pattern) => sql`lower(mime_type) ~ ${pattern}`)
  return sql.join([isOf, ...hasParameters], sql` and `)
}

/** A prefix as a range, which an index in byte order can serve. */
export function beginsWith(prefix: string): RawBuilder<unknown> {
  const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
  return sql`${storedType} >= ${prefix} and ${storedType} < ${end}`
}
