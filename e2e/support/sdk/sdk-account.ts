import { type ClientOptions, createClient, createVault } from '@tideport/sdk'
import { sharedStack } from '../shared-stack.ts'

/** An SDK client as an account that no other test has, and a vault of it. */
export async function sdkAccount(visibility: 'public' | 'private' = 'public', options: Partial<ClientOptions> = {}) {
  const baseUrl = sharedStack().gatewayUrls[0] as string
  const development = { providerId: `sdk-${crypto.randomUUID()}` }
  // However busy the machine is: no test of the SDK is one of its patience.
  const again = (more: Partial<ClientOptions> = {}) =>
    createClient({ baseUrl, development, attempts: 12, ...options, ...more })
  const client = again()
  const vault = await createVault(client, { name: 'Harbour', visibility })
  return {
    client,
    vaultId: vault.id,
    /** The same account, calling otherwise. */
    again,
  }
}
