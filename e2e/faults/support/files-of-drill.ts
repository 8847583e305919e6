import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@tideport/testing/wait-for'
import { expect } from 'vitest'
import { createApiClient } from '../../support/api-client.ts'
import { fetchBytes, publicFileUrl, withDownloadUrl } from '../../support/reading.ts'
import type { FileRecord, Status, Upload, Vault } from '../../support/resources.ts'
import { putBytes, uniqueBytes } from '../../support/uploads.ts'
import type { Drill } from './drill.ts'
import { createPatientClient } from './patient-client.ts'

/** The files of one account, by name, and what becomes of them. */
export async function openFiles(drill: Drill) {
  const client = createPatientClient(drill.describe().gatewayUrls)
  const vault = await client.ask<Vault>(201, 'POST', '/api/vaults', { name: 'Drill', visibility: 'public' })
  const read = (id: string) => client.ask<FileRecord>(200, 'GET', `/api/files/${id}`)

  return {
    client,
    read,
    async upload(): Promise<{ id: string; bytes: Buffer }> {
      const bytes = uniqueBytes()
      return { id: (await client.upload(vault.id, bytes)).id, bytes }
    },
    /** Its bytes are there, and nobody confirmed them yet. */
    async uploadUnconfirmed(): Promise<{ id: string; bytes: Buffer }> {
      const bytes = uniqueBytes()
      const mimeType = 'application/octet-stream'
      const request = { vaultId: vault.id, name: 'report.bin', mimeType, sizeBytes: bytes.length }
      const upload = await client.ask<Upload>(201, 'POST', '/api/files/upload', request)
      expect(await putBytes(upload, bytes)).toBe(200)
      return { id: upload.fileId, bytes }
    },
    /** What is answered at once to a new upload, and to public reads of these files. */
    async statuses(...ids: string[]): Promise<{ upload: number; reads: number[] }> {
      const api = createApiClient(String(drill.describe().gatewayUrls[0]), client.identity, { takes503: true })
      const request = { vaultId: vault.id, name: 'report.bin', mimeType: 'application/octet-stream', sizeBytes: 1 }
      const upload = await api.post('/api/files/upload', request)
      const reads = await Promise.all(ids.map((id) => fetchBytes(publicFileUrl(api, id))))
      return { upload: upload.status, reads: reads.map(({ status }) => status) }
    },
    confirm: (id: string) => client.ask<FileRecord>(200, 'POST', `/api/files/${id}/confirm`),
    until: (id: string, status: Status) =>
      waitFor(async () => (await read(id)).status === status, { what: `file ${id} to be ${status}` }),
    async expectReadable({ id, bytes }: { id: string; bytes: Buffer }): Promise<void> {
      for (const [route, got] of Object.entries(await client.read(await read(id)))) {
        expect(got.equals(bytes), `bytes of ${id} ${route}`).toBe(true)
      }
    },
    /** Its owner is told that its bytes are lost, everybody else that there is no such file. */
    async expectLost(id: string): Promise<void> {
      expect(await read(id)).toMatchObject({ status: 'error', errorCode: 'content_lost' })
      const api = createApiClient(String(drill.describe().gatewayUrls[0]), client.identity)
      await withDownloadUrl(api, id, async (url) =>
        expect(await (await fetch(url)).json()).toMatchObject({ code: 'content_lost' }),
      )
      await client.ask(404, 'GET', `/api/public/files/${id}`)
    },
    hasCopy: async ({ id, storageNetworkBlobId }: FileRecord) =>
      await access(join(drill.describe().networkDir, String(storageNetworkBlobId), `${id}_1`)).then(
        () => true,
        () => false,
      ),
  }
}
