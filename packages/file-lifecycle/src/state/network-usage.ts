import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FilesDb } from './tables.ts'

/** What a network bills for an account: how many copies, and how many bytes. */
export interface NetworkUsage {
  network: string
  copies: number
  bytes: number
}

/** Of each network that bills the account anything: `network`, `copies` and `bytes`. */
export function networkUsageOf(accountId: RawBuilder<unknown>): RawBuilder<NetworkUsage> {
  return sql<NetworkUsage>`
    select network, sum(copies)::bigint as copies, sum(bytes)::bigint as bytes
    from (
      select network, copies, bytes from network_usage where account_id = ${accountId}
      union all select network, copies, bytes from network_usage_change where account_id = ${accountId}
    ) as every
    group by network having sum(copies) <> 0`
}

/** Of each network that bills anything. */
export async function readNetworkUsage(db: Kysely<FilesDb>, accountId: string): Promise<NetworkUsage[]> {
  const { rows } = await sql<NetworkUsage>`${networkUsageOf(sql`${accountId}`)} order by network`.execute(db)
  return rows
}
