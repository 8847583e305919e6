import type { Returned } from '@tideport/contracts/endpoint/two-sides'
import { readSignIn } from '@tideport/contracts/public/sign-in'
import type { Config } from '@tideport/service-kit/config/config'
import { refuseOtherMethods } from '@tideport/service-kit/http/refuse-other-methods'
import { relyingPartyOf } from '@tideport/service-kit/http/relying-party'
import type { FastifyInstance } from 'fastify'
import { isDevelopment, type settings } from '../config.ts'
import type { Admission } from '../limits/admission.ts'

export type SignIn = Returned<typeof readSignIn>

export function addSignIn(app: FastifyInstance, { admission, signIn }: { admission: Admission; signIn: SignIn }): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: readSignIn.path,
    onRequest: admission.admitAnyone,
    handler: async () => signIn,
  })
  refuseOtherMethods(app, readSignIn.path, ['GET', 'HEAD'])
}

export function signInOf(config: Config<typeof settings.shape>): SignIn {
  const { identityProviderIssuer: issuer, identityProviderClientId: clientId } = config
  const identityProvider =
    issuer === undefined || clientId === undefined
      ? null
      : {
          issuer,
          clientId,
          scopes: config.identityProviderScopes,
          parameters: Object.fromEntries(new URLSearchParams(config.identityProviderParameters)),
          deviceFlow: config.identityProviderDeviceFlow,
        }
  const publicUrl = config.publicUrl ?? null
  const passkeyOrigin = relyingPartyOf(config.publicUrl)?.origin ?? null
  const s3Api = config.s3ApiUrl === undefined ? null : { url: config.s3ApiUrl, region: config.s3ApiRegion }
  return { identityProvider, publicUrl, passkeyOrigin, s3Api, development: isDevelopment(config.serviceEnv) }
}
