import type { Credentials } from '@tideport/s3-client/signature'
import type { HotTierConfig } from './hot-tier-config.ts'

/**
 * Those of the settings, or whatever the SDK finds on this machine (profile, web identity, instance role), which it
 * renews before they end. The SDK is loaded when it is first needed: most processes never need it.
 */
export function findCredentials({
  awsAccessKeyId: accessKeyId,
  awsSecretAccessKey: secretAccessKey,
  s3Region: region,
}: HotTierConfig): () => Promise<Credentials> {
  if (accessKeyId && secretAccessKey) return async () => ({ accessKeyId, secretAccessKey })
  let provider: (() => Promise<Credentials>) | undefined
  return async () => {
    if (!provider) {
      const { defaultProvider } = await import('@aws-sdk/credential-provider-node')
      provider ??= defaultProvider({ clientConfig: { region } })
    }
    return await provider()
  }
}
