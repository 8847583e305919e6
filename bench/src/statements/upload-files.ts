import { principalHeader } from '@tideport/contracts/internal/principal'
import { Pool } from 'undici'
import { v7 as uuidv7 } from 'uuid'
import type { BenchFiles } from './start-files.ts'

const CONNECTIONS = 64
const BYTES = Buffer.alloc(1000)

/** Uploads files for so many accounts in turn: request, PUT, confirm. */
export async function createUploader({ files, sign }: BenchFiles, accounts: number) {
  const service = new Pool(files.url, { connections: CONNECTIONS, pipelining: 1 })
  const owners = Array.from({ length: accounts }, () => ({ accountId: uuidv7(), vaultId: '' }))
  // biome-ignore lint/suspicious/noExplicitAny: the shapes are those of docs/api.md
  async function call(accountId: string, method: 'GET' | 'POST', path: string, json?: object): Promise<any> {
    const token = await sign({ kind: 'account', accountId, method: 'api_key', scopes: null }, 'files')
    const headers = { [principalHeader]: token, ...(json && { 'content-type': 'application/json' }) }
    const { statusCode, body } = await service.request({ path, method, headers, body: json ? JSON.stringify(json) : null }) // biome-ignore format: one call
    if (statusCode === 503) {
      // A machine that others keep busy as well: asked again, as clients do.
      await body.dump()
      return await call(accountId, method, path, json)
    }
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${await body.text()}`)
    return await body.json()
  }
  for (const owner of owners) {
    owner.vaultId = (await call(owner.accountId, 'GET', '/api/vaults')).vaults.at(-1).id
  }
  let stores: Pool | undefined
  async function upload({ accountId, vaultId }: { accountId: string; vaultId: string }): Promise<void> {
    const name = `${uuidv7()} photo from the sea.jpg`
    const request = { name, mimeType: 'image/jpeg', sizeBytes: BYTES.length, vaultId }
    const { fileId, uploadUrl, headers } = await call(accountId, 'POST', '/api/files/upload', request)
    const { origin, pathname, search } = new URL(uploadUrl)
    stores ??= new Pool(origin, { connections: CONNECTIONS, pipelining: 1 })
    const stored = await stores.request({ path: pathname + search, method: 'PUT', headers, body: BYTES })
    await stored.body.dump()
    await call(accountId, 'POST', `/api/files/${fileId}/confirm`)
  }
  return {
    async upload(count: number, inFlight: number): Promise<void> {
      let next = 0
      const worker = async () => {
        while (next < count) {
          const owner = owners[next++ % owners.length] as (typeof owners)[number]
          await upload(owner)
        }
      }
      await Promise.all(Array.from({ length: inFlight }, worker))
    },
    async [Symbol.asyncDispose]() {
      await service.close()
      await stores?.close()
    },
  }
}
