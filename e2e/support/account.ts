import { createVault as create, readAccount } from '@tideport/sdk'
import { type ApiClient, type ClientOptions, createApiClient } from './api-client.ts'
import type { CreatedApiKey, Vault } from './resources.ts'
import { sdkClientOf } from './sdk/sdk-client-of.ts'

export function newAccount(gatewayUrl: string, options?: ClientOptions): ApiClient {
  return createApiClient(gatewayUrl, { 'X-Dev-Provider-Id': `e2e-${crypto.randomUUID()}` }, options)
}

/** A client that sends this bearer token, by default to the same gateway. */
export function withToken(client: ApiClient, token: string, gatewayUrl = client.baseUrl): ApiClient {
  return createApiClient(gatewayUrl, { Authorization: `Bearer ${token}` }, client.options)
}

export const anonymous = (client: ApiClient): ApiClient => createApiClient(client.baseUrl, {}, client.options)

/** The account ID, as used in `X-Dev-User-Id` and in public vault paths. */
export async function accountId(client: ApiClient): Promise<string> {
  return (await readAccount(sdkClientOf(client))).id
}

export async function createVault(client: ApiClient, visibility: string, name = 'Ledger'): Promise<Vault> {
  return await create(sdkClientOf(client), { name, visibility: visibility as 'public' | 'private' })
}

export async function createKey(client: ApiClient, options: object = {}): Promise<CreatedApiKey> {
  const { status, body, text } = await client.post<CreatedApiKey>('/api/auth/api-keys', { name: 'Script', ...options })
  if (status !== 201) throw new Error(`Creating a key returned ${status} ${text}`)
  return body
}
