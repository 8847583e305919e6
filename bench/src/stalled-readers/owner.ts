import { setTimeout as delay } from 'node:timers/promises'

export type Owner = ReturnType<typeof ownerOf>

/** The first account of a stack in development mode. Everything rejects unless it is answered with success. */
export function ownerOf(gatewayUrl: string) {
  // biome-ignore lint/suspicious/noExplicitAny: the shapes are those of docs/api.md
  async function call(method: string, path: string, json?: unknown): Promise<any> {
    const body =
      json === undefined ? {} : { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }
    const response = await fetch(gatewayUrl + path, { method, ...body })
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}`)
    return await response.json()
  }

  const listVaults = async (): Promise<{ id: string }[]> => (await call('GET', '/api/vaults')).vaults

  /** Requests, PUTs and confirms a file in the default vault, which is public. */
  async function upload(sizeBytes: number): Promise<string> {
    const vaultId = (await listVaults()).at(-1)?.id
    const request = { name: 'bench.bin', mimeType: 'application/octet-stream', sizeBytes, vaultId }
    const { fileId, uploadUrl, headers } = await call('POST', '/api/files/upload', request)
    const stored = await fetch(uploadUrl, { method: 'PUT', headers, body: new Uint8Array(sizeBytes) })
    if (!stored.ok) throw new Error(`The PUT was answered ${stored.status}`)
    await call('POST', `/api/files/${fileId}/confirm`)
    return fileId
  }

  async function untilCold(fileId: string): Promise<void> {
    while ((await call('GET', `/api/files/${fileId}`)).status !== 'cold') await delay(250)
  }

  return { listVaults, upload, untilCold, publicUrl: (fileId: string) => `${gatewayUrl}/api/public/files/${fileId}` }
}
