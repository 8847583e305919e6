import { sql } from 'kysely'

/**
 * A file that nobody threw away, neither itself nor its vault. The vault is looked up for each row: as `not exists` it
 * would be a join, of which Postgres thinks that hardly a row is left while vaults are few, and it would read and sort
 * all files for one page of them.
 */
export const isLive = sql`purging_at is null and deleted_at is null
  and (select vault.deleted_at is null from vault where vault.id = file.vault_id)`
