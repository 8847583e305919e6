import { withClient } from '@tideport/set-up/prepare-database'

/** Makes an account unless there is one, and returns the id of the first: development mode acts as that one. */
export async function seedFirstUser(authDatabaseUrl: string): Promise<string> {
  return withClient(authDatabaseUrl, async (client) => {
    await client.query(
      `insert into auth.account (id, issuer, subject) select uuidv7(), 'development', 'first-user'
       where not exists (select from auth.account)`,
    )
    const { rows } = await client.query<{ id: string }>('select id from auth.account order by created_at, id limit 1')
    return rows[0]?.id as string
  })
}
