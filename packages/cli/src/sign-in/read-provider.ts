import { type Client, readSignIn } from '@tideport/sdk'
import { askProvider, checkedUrl } from './ask-provider.ts'

export interface Provider {
  issuer: string
  clientId: string
  scopes: string[]
  parameters: Record<string, string>
  authorizationEndpoint: string
  tokenEndpoint: string
  /** Null: the client may not use the device flow. */
  deviceEndpoint: string | null
  revocationEndpoint: string | null
  /** Whether responses name their issuer (RFC 9207). */
  namesIssuer: boolean
}

/** Null: no sign-in with a browser. Rejects with a sentence for an unusable provider. */
export async function readProvider(client: Client, signal: AbortSignal): Promise<Provider | null> {
  const { identityProvider } = await readSignIn(client, {}, { signal })
  if (!identityProvider) return null
  const { issuer, clientId, scopes, parameters, deviceFlow } = identityProvider
  checkedUrl(issuer, 'The identity provider of the service')
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { status, body } = await askProvider(url, null, signal)
  if (status !== 200) throw new Error(`${url} answered ${status}`)
  // Metadata of another issuer would send codes and tokens elsewhere.
  if (body.issuer !== issuer) throw new Error(`${url} does not describe the issuer ${issuer}`)
  const methods = body.code_challenge_methods_supported
  if (Array.isArray(methods) && !methods.includes('S256'))
    throw new Error(`${issuer} does not support PKCE with SHA-256`)
  const optional = (value: unknown, what: string) => (value === undefined ? null : checkedUrl(value, what))
  return {
    issuer,
    clientId: String(clientId),
    scopes: scopes.map(String),
    parameters: Object.fromEntries(Object.entries(parameters ?? {}).map(([name, value]) => [name, String(value)])),
    authorizationEndpoint: checkedUrl(body.authorization_endpoint, `The authorization endpoint of ${issuer}`),
    tokenEndpoint: checkedUrl(body.token_endpoint, `The token endpoint of ${issuer}`),
    deviceEndpoint: deviceFlow
      ? optional(body.device_authorization_endpoint, `The device endpoint of ${issuer}`)
      : null,
    revocationEndpoint: optional(body.revocation_endpoint, `The revocation endpoint of ${issuer}`),
    namesIssuer: body.authorization_response_iss_parameter_supported === true,
  }
}
