import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { AppError } from '@tideport/service-kit/process/app-error'
import { sql, type Transaction } from 'kysely'

/**
 * Takes an id that a client has chosen (docs/adr/0093), for a transaction that holds its account: of several who want it at
 * once one gets it, the others wait for that. Throws one and the same 409 whoever has it or had it.
 */
export async function takeId(trx: Transaction<FilesDb>, id: string): Promise<void> {
  const { rows } = await sql`
    insert into taken_id (id) select ${id}::uuid
    where not exists (select from file where id = ${id}) and not exists (select from vault where id = ${id})
      and not exists (select from account where id = ${id})
    on conflict do nothing
    returning id`.execute(trx)
  if (rows.length === 0) throw new AppError('id_taken', 'The id is taken, or was once')
}
