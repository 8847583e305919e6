import { Pool } from 'undici'

/** The upload form (docs/reference/http/files.md) and the file name. Both are optional. */
type UploadForm = { put?: 'once'; name?: string }

export async function openAccount(gatewayUrl: string, who: string) {
  const gateway = new Pool(gatewayUrl, { connections: 64, pipelining: 1 })
  const stores = new Map<string, Pool>()
  const asUser = { 'x-dev-provider-id': who }
  const { key } = await call<{ key: string }>('POST', '/api/auth/api-keys', { name: 'bench' }, asUser)
  const vault = { name: 'Bench', visibility: 'public' }
  const { id: vaultId } = await call<{ id: string }>('POST', '/api/vaults', vault)

  async function call<Answer>(
    method: 'GET' | 'POST',
    path: string,
    json?: object,
    headers: Record<string, string> = { authorization: `Bearer ${key}` },
  ): Promise<Answer> {
    const sent = json && { body: JSON.stringify(json), headers: { ...headers, 'content-type': 'application/json' } }
    const { statusCode, body } = await gateway.request({ method, path, headers, ...sent })
    const text = await body.text()
    if (statusCode >= 300) throw new Error(`${method} ${path} returned ${statusCode}: ${text}`)
    return JSON.parse(text)
  }

  const request = (sizeBytes: number, form: UploadForm = {}) =>
    call<{ fileId: string; uploadUrl: string; headers: Record<string, string> }>('POST', '/api/files/upload', {
      name: 'bench.bin',
      mimeType: 'application/octet-stream',
      sizeBytes,
      vaultId,
      ...form,
    })

  function storeOf({ origin }: URL): Pool {
    const store = stores.get(origin) ?? new Pool(origin, { connections: 64, pipelining: 1 })
    stores.set(origin, store)
    return store
  }

  return {
    key,
    vaultId,
    call,
    request,
    async upload(bytes: Buffer, form: UploadForm = { put: 'once' }): Promise<string> {
      const { fileId, uploadUrl, headers } = await request(bytes.length, form)
      const url = new URL(uploadUrl)
      await put(storeOf(url), url, bytes, headers)
      await call('POST', `/api/files/${fileId}/confirm`)
      return fileId
    },
    async send(bytes: Buffer): Promise<string> {
      const path = `/api/vaults/${vaultId}/content/bench.bin`
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' }
      const { statusCode, body } = await gateway.request({ method: 'PUT', path, headers, body: bytes })
      const text = await body.text()
      if (statusCode !== 201) throw new Error(`PUT ${path} returned ${statusCode}: ${text}`)
      return JSON.parse(text).id
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([gateway, ...stores.values()].map((pool) => pool.close()))
    },
  }
}

export type Account = Awaited<ReturnType<typeof openAccount>>

export async function put(store: Pool, url: URL, body: Buffer, headers: Record<string, string> = {}): Promise<void> {
  const path = url.pathname + url.search
  const { statusCode, body: answer } = await store.request({ method: 'PUT', path, headers, body })
  const text = await answer.text()
  if (statusCode !== 200) throw new Error(`A PUT returned ${statusCode}: ${text}`)
}
