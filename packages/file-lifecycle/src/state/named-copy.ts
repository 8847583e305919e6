import { type RawBuilder, sql } from 'kysely'

/** What a row says of its copy on the network. */
export interface NamedCopy {
  network: string
  blobId: string
  ref: Record<string, string>
}

export function namesCopy({ network, blobId, ref }: NamedCopy): RawBuilder<unknown> {
  return sql`network = ${network}, blob_id = ${blobId}, network_ref = ${JSON.stringify(ref)}::jsonb`
}
