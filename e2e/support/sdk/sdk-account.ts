import { type ClientOptions, createClient, createVault } from '@tideport/sdk'
import { sharedStack } from '../shared-stack.ts'

/** An SDK client for a new account, and a vault of it. */
export async function sdkAccount(visibility: 'public' | 'private' = 'public', options: Partial<ClientOptions> = {}) {
  const baseUrl = sharedStack().gatewayUrls[0] as string
  const development = { providerId: `sdk-${crypto.randomUUID()}` }
  // Long timeouts, because no SDK test measures patience on a busy machine.
  const again = (more: Partial<ClientOptions> = {}) =>
    createClient({ baseUrl, development, attempts: 12, ...options, ...more })
  const client = again()
  const vault = await createVault(client, { name: 'Harbour', visibility })
  return {
    client,
    vaultId: vault.id,
    /** A client of the same account with other options. */
    again,
  }
}
