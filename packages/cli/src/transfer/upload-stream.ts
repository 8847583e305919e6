import { type Client, type FileRecord, type UploadFields, upload, type Vault } from '@tideport/sdk'
import { spoolToDisk } from '@tideport/sdk/node'
import type { Context } from '../grammar/context.ts'
import { mediaTypeOf } from '../local/media-type.ts'

/** Uploads what comes in by stdin. It can be read once, so nothing goes on with it when it is cut off. */
export async function uploadStdin(
  client: Client,
  { vault, target, fields }: { vault: Vault; target: string; fields: UploadFields },
  { stdin, signal }: Context,
): Promise<FileRecord> {
  return await upload(client, stdin as AsyncIterable<Uint8Array>, {
    vaultId: vault.id,
    mimeType: mediaTypeOf(target),
    fields: { ...fields, path: target },
    spool: spoolToDisk,
    signal,
  })
}
