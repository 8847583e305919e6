import { createServer } from 'node:http'
import Provider, { type Adapter, type Configuration } from 'oidc-provider'
import { closeAtOnce, listenOnLoopback } from './loopback-server.ts'
import {
  generateSigningKeys,
  type SigningKeys,
  type SignOptions,
  signToken,
  type TokenAlgorithm,
  tokenAlgorithms,
} from './signing-keys.ts'

const audience = 'tideport-tests'

/** A real OpenID provider with RS256, ES256, and EdDSA keys. `sign` creates tokens that the provider would not. */
export async function startIdentityProvider() {
  let keys = await generateSigningKeys()
  let retired: SigningKeys[] = []
  let jwksRequests = 0
  let handle: ReturnType<Provider['callback']> | undefined

  const server = createServer((request, response) => {
    if (request.url === '/jwks') jwksRequests += 1
    void handle?.(request, response)
  })
  const stop = () => closeAtOnce(server)

  const port = await listenOnLoopback(server)
  const issuer = `http://127.0.0.1:${port}`
  let provider = createProvider(issuer, [keys])
  handle = provider.callback()

  return {
    issuer,
    audience,
    jwksUrl: `${issuer}/jwks`,
    jwksRequests: () => jwksRequests,
    issueToken: (token: IssuedToken) => issueToken(provider, token),
    /** Signs any claims or bytes, with any header, with a current key of the provider (see `signToken`). */
    sign: (claims: Record<string, unknown> | Buffer, options?: SignOptions) => signToken(keys, claims, options),
    /** Creates new signing keys. The key set retains the old public keys only with `keepOld`. */
    async rotateKeys({ keepOld }: { keepOld: boolean }) {
      retired = keepOld ? [keys, ...retired] : []
      keys = await generateSigningKeys()
      provider = createProvider(issuer, [keys, ...retired])
      handle = provider.callback()
    },
    stop,
    async start() {
      await listenOnLoopback(server, port)
    },
    dispose: stop,
    [Symbol.asyncDispose]: stop,
  }
}

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>

interface IssuedToken {
  subject: string
  algorithm?: TokenAlgorithm
}

function createProvider(issuer: string, keySets: SigningKeys[]): Provider {
  return new Provider(issuer, {
    adapter: () => forgetfulAdapter,
    jwks: { keys: keySets.flatMap((keys) => Object.values(keys)) } as NonNullable<Configuration['jwks']>,
    clients: [{ client_id: 'browser', client_secret: crypto.randomUUID(), redirect_uris: [`${issuer}/callback`] }],
    cookies: { keys: [crypto.randomUUID()] },
    enabledJWA: { idTokenSigningAlgValues: [...tokenAlgorithms] },
    features: { devInteractions: { enabled: false }, resourceIndicators: { enabled: true } },
    interactions: { url: () => '/login' },
  })
}

async function issueToken(provider: Provider, token: IssuedToken): Promise<string> {
  const client = await provider.Client.find('browser')
  if (!client) throw new Error('The provider has lost its client')
  const accessToken = new provider.AccessToken({
    client,
    accountId: token.subject,
    grantId: crypto.randomUUID(),
    gty: 'authorization_code',
    scope: 'openid',
    expiresIn: 3600,
  })
  accessToken.resourceServer = new provider.ResourceServer(audience, {
    scope: 'openid',
    audience,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: token.algorithm ?? 'RS256' } },
  })
  return accessToken.save()
}

/** JWT access tokens are self-contained, so the provider needs no storage. */
const forgetfulAdapter: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
}
