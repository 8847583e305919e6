import { waitFor } from '@tideport/testing/wait-for'
import { type Answer, type ApiClient, createApiClient } from '../../support/api-client.ts'
import { fetchBytes, publicBlobUrl, publicFileUrl } from '../../support/reading.ts'
import type { Download, ErrorBody, FileRecord, Upload } from '../../support/resources.ts'
import { putBytes } from '../../support/uploads.ts'

type Reading = Awaited<ReturnType<typeof fetchBytes>>

const patience = { timeoutMs: 120_000, everyMs: 100 }

/**
 * A well-behaved client: retries broken connections and 5xx responses at the next gateway. Records every status that a
 * gateway returned.
 */
export function createPatientClient(gatewayUrls: string[]) {
  const identity = { 'X-Dev-Provider-Id': `e2e-${crypto.randomUUID()}` }
  const gateways = gatewayUrls.map((url) => createApiClient(url, identity, { takes503: true }))
  const statuses = new Set<number>()
  let turn = 0

  /** Retries until the status is below 500. */
  async function persist<A extends { status: number }>(
    what: string,
    attempt: (gateway: ApiClient) => Promise<A>,
  ): Promise<A> {
    return await waitFor(
      async () => {
        const answered = await attempt(gateways[turn++ % gateways.length] as ApiClient)
        if (answered.status < 500) return answered
        throw new Error(`The last response was ${describe(answered)}`)
      },
      { what: `a response to ${what}`, ...patience },
    )
  }

  async function call<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    return await persist(`${method} ${path}`, async (gateway) => {
      const answered = await gateway.call<Body>(method, path, { body })
      statuses.add(answered.status)
      return answered
    })
  }

  async function ask<Body>(status: number, method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await call<Body>(method, path, body)
    return expectStatus(status, `${method} ${path}`, answer).body
  }

  /** Uploads in three steps, and again if a killed store lost the upload. Returns the confirmed file. */
  async function upload(vaultId: string, bytes: Buffer): Promise<FileRecord> {
    const mimeType = 'application/octet-stream'
    const request = { vaultId, name: 'report.bin', mimeType, sizeBytes: bytes.length }
    const granted = await ask<Upload>(201, 'POST', '/api/files/upload', request)
    await waitFor(async () => (await putBytes(granted, bytes)) === 200, {
      what: 'the store to take bytes',
      ...patience,
    })
    const confirm = `/api/files/${granted.fileId}/confirm`
    const confirmed = await call<FileRecord & ErrorBody>('POST', confirm)
    if (confirmed.body.code === 'upload_lost') return await upload(vaultId, bytes)
    return expectStatus(200, `POST ${confirm}`, confirmed).body
  }

  async function readPublic(url: string) {
    const answer = await fetchBytes(url)
    statuses.add(answer.status)
    return answer
  }

  /** Reads a public file by each route, also by blob ID if it has one. Returns the bytes by the name of the route. */
  async function read(file: FileRecord): Promise<Record<string, Buffer>> {
    const readAgain = async (what: string, attempt: Parameters<typeof persist<Reading>>[1]) =>
      expectStatus(200, what, await persist(what, attempt))
    const byId = await readAgain('a read by id', (gateway) => readPublic(publicFileUrl(gateway, file.id)))
    const download = await readAgain('a download', async () => {
      const { downloadUrl, expiresAt } = await ask<Download>(200, 'GET', `/api/files/${file.id}/download`)
      const answer = await fetchBytes(downloadUrl)
      if (Date.now() > Date.parse(expiresAt)) throw new Error('The URL expired before it was read')
      return answer
    })
    const routes = { byId: byId.bytes, download: download.bytes }
    const { storageNetworkBlobId: blobId } = file
    if (blobId === null) return routes
    const byBlob = await readAgain('a read by blob id', (gateway) => readPublic(publicBlobUrl(gateway, blobId)))
    return { ...routes, byBlob: byBlob.bytes }
  }

  return { identity, ask, upload, read, statuses: statuses as ReadonlySet<number> }
}

const describe = (answer: { status: number }) => `${answer.status} ${'text' in answer ? answer.text : ''}`

function expectStatus<A extends { status: number }>(status: number, what: string, answer: A): A {
  if (answer.status === status) return answer
  throw new Error(`${what} returned ${describe(answer)}`)
}

export type PatientClient = ReturnType<typeof createPatientClient>
