import { addAbortSignal } from 'node:stream'
import { type Client, type UploadFields, upload, type Vault, type WrittenFile } from '@tideport/sdk'
import { uploadPrivate, type VaultKey } from '@tideport/sdk/crypto'
import { spoolToDisk } from '@tideport/sdk/node'
import type { Context } from '../grammar/context.ts'
import { mediaTypeOf } from '../local/media-type.ts'
import { type Pace, paceSource } from './bandwidth-limit.ts'

interface StreamPlan {
  vault: Vault
  vaultKey: VaultKey | null
  target: string
  fields: UploadFields
  pace: Pace | null
}

/** Uploads stdin, which can be read only once, so an interrupted upload cannot resume. */
export async function uploadStdin(
  client: Client,
  { vault, vaultKey, target, fields, pace }: StreamPlan,
  { stdin, signal }: Context,
): Promise<WrittenFile> {
  const bytes = addAbortSignal(signal, stdin) as AsyncIterable<Uint8Array>
  const options = { vaultId: vault.id, mimeType: mediaTypeOf(target), fields: { ...fields, path: target }, signal }
  if (!vaultKey && !pace) return await upload(client, bytes, { ...options, spool: spoolToDisk })
  // The record contains the size and is created before the first byte is sent.
  const spooled = await spoolToDisk(bytes, signal)
  try {
    const source = paceSource(spooled, pace, signal)
    return await (vaultKey ? uploadPrivate(client, source, { ...options, vaultKey }) : upload(client, source, options))
  } finally {
    await spooled.remove?.()
  }
}
