import { waitFor } from '@tideport/testing/wait-for'
import type { ApiClient } from '../api-client.ts'

/** Waits until the object storage has so many parts of the one upload that is open in a vault. */
export async function partsArrived(client: ApiClient, vaultId: string, count: number): Promise<void> {
  const haveArrived = async () => {
    const { files } = (await client.get<{ files: { id: string; status: string }[] }>(`/api/files?vaultId=${vaultId}`))
      .body
    const open = files.find(({ status }) => status === 'uploading')
    if (open === undefined) return false
    const { parts } = (await client.get<{ parts: object[] }>(`/api/files/${open.id}/parts`)).body
    return parts.length >= count
  }
  await waitFor(haveArrived, { what: `${count} parts to arrive` })
}
