import { makeKeys, publicKeySet } from '@tideport/set-up/make-secrets'

export function keySettings() {
  const { identityTokenKey, downloadTokenKey, webhookSecretKey, exportSecretKey } = makeKeys()
  return {
    IDENTITY_TOKEN_PRIVATE_KEY: JSON.stringify(identityTokenKey),
    IDENTITY_TOKEN_PUBLIC_KEYS: JSON.stringify(publicKeySet(identityTokenKey)),
    DOWNLOAD_TOKEN_KEYS: downloadTokenKey,
    WEBHOOK_SECRET_KEYS: webhookSecretKey,
    EXPORT_SECRET_KEYS: exportSecretKey,
  }
}
