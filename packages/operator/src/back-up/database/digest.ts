import type { Table } from '../manifest.ts'
import { type OwnerClient, quoted } from './owner-client.ts'

/** The number of rows, and a sum of their SHA-256 that does not depend on their order. */
export async function digestOf({ client }: OwnerClient, { name, columns }: Table): Promise<string> {
  const row = `row(${columns.map(quoted).join(', ')})::text`
  const { rows } = await client.query<{ digest: string }>(
    `select count(*) || ' rows, sum '
      || coalesce(sum(('x' || left(encode(sha256(convert_to(${row}, 'UTF8')), 'hex'), 15))::bit(60)::bigint), 0) as digest
     from ${quoted(name)}`,
  )
  return rows[0]?.digest ?? ''
}
